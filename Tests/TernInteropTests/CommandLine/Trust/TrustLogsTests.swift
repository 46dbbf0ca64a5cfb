// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// `tern trust logs update`.
@Suite struct TrustLogsTests {
    private let folder: TemporaryFolder
    private let log: TransparencyTestLog
    private let signer: TransparencyTestLog
    private let key: String

    init() throws {
        folder = try TemporaryFolder()
        log = try TransparencyTestLog("a", operatorName: "One")
        signer = try TransparencyTestLog("signer", operatorName: "x")
        let base64 = Data(signer.publicKey).base64EncodedString()
        key = try folder.write("-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n", to: "key.pem")
    }

    private func list(of year: Int) -> String {
        """
        {"log_list_timestamp": "\(year)-01-01T00:00:00Z", "operators": [{"name": "One", "logs": [\(log.json())]}]}
        """
    }

    /// Serves a list and a signature; nil is a missing one.
    private func origin(_ list: String, signature: [UInt8]?) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            guard request.target.hasSuffix(".sig") else { return [.ok(list)] }
            return [signature.map { .respond(body: $0) } ?? .respond(status: 404)]
        }
    }

    private func update(
        _ list: String, signature: [UInt8]?? = .none, _ more: String...
    ) async throws -> (result: TernTool.Result, text: String?) {
        let signed = try signature ?? signer.sign(Array(list.utf8))
        let origin = try origin(list, signature: signed)
        let file = folder.url.appending(path: "logs.json")
        let result = try await TernTool.run(
            ["trust", "logs", "update", file.path, "--key", key, "--url", "http://127.0.0.1:\(origin.port)/logs.json"]
                + more)
        return (result, try? String(contentsOf: file, encoding: .utf8))
    }

    @Test func `a signed list is written, replaced by a newer one, and never by an older one`() async throws {
        let (first, made) = try await update(list(of: 2026))
        #expect(first.status == 0 && made == list(of: 2026), "\(first.errors)")
        #expect(first.text.hasSuffix("logs.json: 1 logs, of 2026-01-01T00:00:00Z\n"))
        let again = try await update(list(of: 2026)).result
        #expect(again.status == 0 && again.text.hasSuffix("is current, of 2026-01-01T00:00:00Z\n"))
        let signature = folder.url.appending(path: "logs.sig")
        let (newer, replaced) = try await update(list(of: 2027), "--signature", signature.path)
        #expect(newer.status == 0 && replaced == list(of: 2027), "\(newer.errors)")
        #expect(try !Data(contentsOf: signature).isEmpty)
        let (older, kept) = try await update(list(of: 2026))
        #expect(older.status == 1 && kept == list(of: 2027))
        #expect(older.errors.contains("the list is of 2026-01-01T00:00:00Z, that in "), "\(older.errors)")
    }

    @Test func `a list that is not signed, not there or not a list leaves the file as it was`() async throws {
        try folder.write(list(of: 2026), to: "logs.json")
        for (text, signature, reason) in [
            (list(of: 2027), .some(try signer.sign([1])), "not signed by the given key"),
            (list(of: 2027), .some(nil), "logs.sig: the status is 404, not 200"),
            ("{}", .none, "operators: the field is missing"),
            (#"{"operators": []}"#, .none, "the list does not say when it was made"),
        ] as [(String, [UInt8]??, String)] {
            let (result, kept) = try await update(text, signature: signature)
            #expect(result.status == 1 && kept == list(of: 2026), "\(reason)")
            #expect(result.errors.contains(reason), "\(result.errors)")
        }
    }

    @Test func `a file that is no list is not replaced, and one that cannot be written is told`() async throws {
        try folder.write("notes", to: "logs.json")
        let (result, kept) = try await update(list(of: 2026))
        #expect(result.status == 1 && kept == "notes" && result.errors.contains("not valid JSON"))
        let origin = try origin(list(of: 2026), signature: signer.sign(Array(list(of: 2026).utf8)))
        let missing = try await TernTool.run(
            "trust", "logs", "update", "/nowhere/logs.json", "--key", key, "--url",
            "http://127.0.0.1:\(origin.port)/logs.json")
        #expect(missing.status == 1 && missing.errors.contains("/nowhere/logs.json"), "\(missing.errors)")
    }

    @Test func `wrong usage is 2`() async throws {
        for arguments in [
            ["update", "x"], ["renew", "x", "--key", key], ["update", "x", "--key", "/nowhere"],
            ["update", "x", "--key", try folder.write("x", to: "none.pem")],
        ] {
            #expect(try await TernTool.run(["trust", "logs"] + arguments).status == 2, "\(arguments)")
        }
    }
}
