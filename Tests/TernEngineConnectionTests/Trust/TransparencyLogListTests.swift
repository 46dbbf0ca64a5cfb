// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite struct TransparencyLogListTests {
    private let logs: [TransparencyTestLog]

    init() throws {
        logs = [
            try TransparencyTestLog("One 2026", operatorName: "One"),
            try TransparencyTestLog("Two 2026", operatorName: "Two"),
        ]
    }

    private func text(_ first: String, _ second: String, time: String = "2026-01-31T12:00:00Z") -> String {
        """
        {
          "version": "42.1",
          "log_list_timestamp": "\(time)",
          "operators": [
            {"name": "One", "email": ["one@test"], "logs": [\(first)], "tiled_logs": []},
            {"name": "Two", "logs": [], "tiled_logs": [
              \(second)
            ]}
          ]
        }
        """
    }

    private func read(_ text: String) throws(PolicyFileError) -> TransparencyLogList {
        try TransparencyLogList(json: Array(text.utf8))
    }

    private func error(_ text: String) -> PolicyFileError? {
        do throws(PolicyFileError) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a list is read to the last field, and what it has more is ignored`() throws {
        let second =
            String(logs[1].json(state: #"{"retired": {"timestamp": "2025-06-01T00:00:00Z"}}"#).dropLast())
            + #", "temporal_interval": {"start_inclusive": "2026-01-01T00:00:00Z", "#
            + #""end_exclusive": "2027-01-01T00:00:00Z"}, "#
            + #""previous_operators": [{"name": "Three", "end_time": "2024-01-01T00:00:00Z"}]}"#
        let list = try read(text(logs[0].json(), second))
        #expect(list.time == 1_769_860_800)
        #expect(list.logs.map(\.description) == ["One 2026", "Two 2026"])
        #expect(list.logs.map(\.operatorName) == ["One", "Two"])
        #expect(list.logs.map(\.state) == [.usable, .retired(since: 1_748_736_000)])
        #expect(list.logs[1].temporalInterval == 1_767_225_600..<1_798_761_600)
        #expect(list.logs[1].operatorName(at: 1_704_067_199) == "Three")
        #expect(list.logs[1].operatorName(at: 1_704_067_200) == "Two")
        #expect(list.log(id: logs[0].id) == list.logs[0])
        #expect(list.log(id: []) == nil)
        #expect(try list == read(text(logs[0].json(), second)))
    }

    @Test(arguments: [
        ("pending", TransparencyLog.State.pending), ("qualified", .qualified), ("usable", .usable),
        ("readonly", .readOnly), ("rejected", .rejected), ("novel", .unknown),
    ])
    func `each state is known, and another one is none`(word: String, state: TransparencyLog.State) throws {
        let log = logs[0].json(state: #"{"\#(word)": {"timestamp": "2026-01-01T00:00:00Z", "more": 1}}"#)
        #expect(try read(text(log, "")).logs.first?.state == state)
    }

    @Test func `a log that cannot be used is left out and told, and one for tests counts for nothing`() throws {
        let odd = try TransparencyTestLog("x", operatorName: "x", key: .p384).json()
        let list = try read(text(logs[0].json(), odd))
        #expect(list.logs.map(\.id) == [logs[0].id] && list.skipped.count == 1)
        #expect(list.skipped.first?.contains("operators[1].tiled_logs[0].key") == true, "\(list.skipped)")
        #expect(try list == read(text(logs[0].json(), "")) && read(text(logs[0].json(), "")).skipped.isEmpty)
        let test = String(logs[0].json().dropLast()) + #", "log_type": "test"}"#
        #expect(try read(text(test, "")).logs.first?.state == .rejected)
        #expect(try read(text("", logs[1].json())).logs.first?.isTiled == true)
    }

    @Test func `errors have line and field`() throws {
        let key = logs[1].json()
        let other = try TransparencyTestLog("x", operatorName: "x", key: .p384).json()
        for (second, reason, field) in [
            (key.replacing("log_id", with: "log_if"), .misspelledField(meant: "log_id"), "log_if"),
            (key.replacing("\"key\": \"", with: "\"key\": \"!"), nil, "key"),
            (key.replacing("\"log_id\": \"", with: "\"log_id\": \"AAAA"), .wrongLogID, "log_id"),
            (key.replacing("2020-01-01T00:00:00Z", with: "soon"), .invalidTime("soon"), "state.usable.timestamp"),
            (other, .invalidLogKey, "key"),
        ] as [(String, PolicyFileError.Reason?, String)] {
            let error = try #require(self.error(text("", second)))
            #expect(error.field == "operators[1].tiled_logs[0].\(field)")
            #expect(error.line == 7)
            #expect(reason == nil || error.reason == reason, "\(error)")
        }
        #expect(error("{}")?.reason == .missingField)
        #expect(error(text("", "", time: "soon"))?.field == "log_list_timestamp")
        let turned =
            String(logs[0].json().dropLast())
            + #", "temporal_interval": {"start_inclusive": "2026-01-02", "end_exclusive": "2026-01-01"}}"#
        #expect(error(text(turned, ""))?.reason == .emptyInterval)
    }

    @Test func `garbage is refused, and so is each beginning of a list`() throws {
        let bytes = Array(text(logs[0].json(), logs[1].json()).utf8)
        for count in 0..<bytes.count {
            #expect(throws: PolicyFileError.self) { try TransparencyLogList(json: Array(bytes.prefix(count))) }
        }
        for garbage in [[], [0], [0xff, 0xfe], Array("[]".utf8), Array(repeating: UInt8(ascii: "["), count: 100_000)] {
            #expect(throws: PolicyFileError.self) { try TransparencyLogList(json: garbage) }
        }
    }

    @Test func `a huge file is not read`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tern-logs-\(UInt64.random(in: 0 ... .max))")
        let path = file.path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text(logs[0].json(), logs[1].json()).utf8).write(to: file)
        #expect(try TransparencyLogList(contentsOf: file).logs.count == 2)
        try Data(count: 16 * 1024 * 1024 + 1).write(to: file)
        let error = try #require(throws: PolicyFileError.self) { try TransparencyLogList(contentsOf: file) }
        guard case .unreadable = error.reason else { throw error }
        #expect(throws: PolicyFileError.self) { try TransparencyLogList(contentsOf: URL(filePath: "/nowhere")) }
    }

    @Test(arguments: [KeyKind.p256, .rsa(bits: 2048)])
    func `a signed list is read, and one that is unsigned, changed or signed by another is not`(
        kind: KeyKind
    ) throws {
        let signer = try TransparencyTestLog("signer", operatorName: "x", key: kind)
        let bytes = Array(text(logs[0].json(), logs[1].json()).utf8)
        let signature = try signer.sign(bytes)
        let list = try TransparencyLogList(json: bytes, signature: signature, publicKey: signer.publicKey)
        #expect(list.logs.count == 2)
        let base64 = Data(signer.publicKey).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n"
        #expect(try TransparencyLogList(json: bytes, signature: signature, publicKey: Array(pem.utf8)) == list)
        for (json, signature, key) in [
            (bytes, [], signer.publicKey), (bytes + [0x20], signature, signer.publicKey),
            (bytes, signature, logs[0].publicKey), (bytes, try logs[0].sign(bytes), signer.publicKey),
            (bytes, signature, []), (bytes, Array(signature.dropLast()), signer.publicKey),
        ] as [([UInt8], [UInt8], [UInt8])] {
            let error = try #require(throws: PolicyFileError.self) {
                try TransparencyLogList(json: json, signature: signature, publicKey: key)
            }
            #expect(error.reason == .invalidSignature)
        }
    }
}
