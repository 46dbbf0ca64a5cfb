// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Cookies of the command, with curl as the other reader and writer of the files.
@Suite(.timeLimit(.minutes(1))) struct CookieOptionsTests {
    /// Answers with the cookies of the request, and sets three.
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let fields = [
                ("Set-Cookie", "kept=1; Max-Age=1000"), ("Set-Cookie", "session=2; HttpOnly"),
                ("Set-Cookie", "deep=3; Path=/deep; Max-Age=1000"),
            ]
            return [
                .respond(fields: request.target == "/set" ? fields : [], body: request.value(of: "Cookie") ?? "none")
            ]
        }
    }

    private func tern(_ arguments: String...) async throws -> String {
        let result = try await TernTool.run(arguments)
        #expect(result.status == 0, "\(result.errors)")
        return result.text
    }

    @Test func `a jar is written as curl writes it, and each of both sends the other's cookies`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let url = "http://127.0.0.1:\(origin.port)"
        let (ours, theirs) = (folder.url.appending(path: "ours").path, folder.url.appending(path: "theirs").path)
        #expect(try await tern("-c", ours, url + "/set") == "none")
        _ = try await curl("-c", theirs, url + "/set")
        for jar in [ours, theirs] {
            for path in ["/", "/deep"] {
                let sent = Set(try await tern("-b", jar, url + path).split(separator: "; "))
                #expect(sent == Set(try await curl("-b", jar, url + path).split(separator: "; ")))
                #expect(sent == (path == "/" ? ["kept=1", "session=2"] : ["kept=1", "session=2", "deep=3"]))
            }
            #expect(try await tern("-j", "-b", jar, url) == "kept=1")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: ours)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `cookies go along with the next URL, and the jar has no others in the end`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let (url, jar) = ("http://127.0.0.1:\(origin.port)", folder.url.appending(path: "jar").path)
        try "old.test\tFALSE\t/\tFALSE\t0\told\t1\n".write(toFile: jar, atomically: true, encoding: .utf8)
        let text = try await tern("-c", jar, url + "/set", url + "/deep")
        #expect(text == "none" + "deep=3; kept=1; session=2")
        let names = try String(contentsOfFile: jar, encoding: .utf8).split(separator: "\n").filter { $0.contains("\t") }
            .compactMap { $0.split(separator: "\t").dropLast().last }
        #expect(Set(names) == ["kept", "session", "deep"])
    }

    @Test func `the jar goes to standard output`() async throws {
        let origin = try Self.origin()
        let text = try await tern("-c-", "-o", "/dev/null", "http://127.0.0.1:\(origin.port)/set")
        #expect(text.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t2\n"))
    }

    @Test func `what cannot be used is an error that names the option`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let (url, jar) = ("http://127.0.0.1:\(origin.port)/", folder.url.appending(path: "jar").path)
        try "no cookie\n".write(toFile: jar, atomically: true, encoding: .utf8)
        for (arguments, status, message) in [
            (["-b", jar], 26, "-b: line 1 of \(jar) is no cookie in the Netscape format"),
            (["-c", jar], 26, "-c: line 1 of \(jar) is no cookie in the Netscape format"),
            (["-c", folder.url.appending(path: "no/jar").path], 23, "-c: cannot write cookies to"),
            (["-j", "-b", "a=b"], 2, "-j needs a file of cookies"),
            (["-b", "a=b", "-H", "Cookie: c=d"], 2, "two fields of cookies"),
            (["-c", ""], 2, "-c: the file name is empty"),
        ] {
            let result = try await TernTool.run(arguments + [url + "set"])
            #expect(Int(result.status) == status && result.errors.contains(message), "\(arguments): \(result.errors)")
        }
        #expect(try String(contentsOfFile: jar, encoding: .utf8) == "no cookie\n")
    }
}
