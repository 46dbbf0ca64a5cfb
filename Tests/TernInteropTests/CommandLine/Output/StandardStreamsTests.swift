// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

/// What the command does when its output cannot be read.
@Suite struct StandardStreamsTests {
    private let folder: TemporaryFolder
    private let origin: ScriptedOrigin
    private let chain: String

    init() throws {
        let authority = try CertificateAuthority()
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let leaf = try authority.issue(LeafRequest(dnsNames: ["example.com"]))
        try folder.write(authority.certificatePEM, to: "roots.pem")
        try folder.write(leaf.chainPEM, to: "chain.pem")
        chain = "--host example.com --anchors roots.pem --chain chain.pem"
        try folder.write("{}\n{}\n", to: "cases.jsonl")
        let pins = #"{"pinSets":[{"hosts":["example.com"],"pins":["\#(leaf.pin)"]}]}"#
        try folder.write(pins, to: "policy.json")
    }

    /// In a shell, in which `$0` is the tool; in the folder.
    private func run(_ command: String) async throws -> Command.Result {
        try await Command.run(
            ["sh", "-c", "cd '\(folder.url.path)'; " + command, try TernTool.executable.path],
            environment: TernTool.environment)
    }

    /// Commands that end well if they can say so.
    private var commands: [String] {
        [
            "--help", "get \(origin.url("/"))", "get --report-json \(origin.url("/"))", "trust pins chain.pem",
            "trust pins chain.pem --json", "trust evaluate \(chain)", "trust evaluate --json \(chain)",
            "trust explain \(chain)", "trust evaluate --batch cases.jsonl", "bench -d 0.05 -c 1 \(origin.url("/"))",
            "demo -d 0.05",
        ]
    }

    /// curl's number for the commands that have curl's.
    private static func statusWhenLost(of command: String) -> Int32 { command.hasPrefix("get") ? 23 : 1 }

    @Test func `output that is lost is a failure, and said`() async throws {
        for command in commands {
            #expect(try await run(#""$0" \#(command)"#).status == 0, "\(command)")
            for lost in [">/dev/full", ">&-"] {
                let result = try await run(#""$0" \#(command) \#(lost)"#)
                #expect(result.status == Self.statusWhenLost(of: command), "\(command) \(lost): \(result.errors)")
                #expect(result.errors.contains("standard output"), "\(command) \(lost)")
            }
        }
    }

    @Test func `a reader that has gone is a failure, and no message`() async throws {
        // A pipe that has had a reader, so that it could be opened, and has none when it is written to.
        let pipe = "mkfifo pipe; exec 3<>pipe 4>pipe 3>&-; rm pipe; trap '' PIPE; "
        for command in commands {
            let result = try await run(pipe + #""$0" \#(command) >&4"#)
            #expect(result.status == Self.statusWhenLost(of: command), "\(command): \(result.errors)")
            #expect(result.errors.isEmpty, "\(command)")
        }
    }

    @Test func `messages that are lost change nothing`() async throws {
        let port = try LoopbackPort.free().number
        let cases: [(String, Int32)] = [
            ("get -v \(origin.url("/"))", 0), ("get http://127.0.0.1:\(port)/", 7), ("get", 2),
            ("trust pins https://127.0.0.1:\(port)/", 1), ("trust evaluate --policy policy.json \(chain)", 0),
            ("trust evaluate --batch .", 1), ("bench -d 0.05 -c 1 http://127.0.0.1:\(port)/", 1),
        ]
        for (command, status) in cases {
            let heard = try await run(#""$0" \#(command)"#)
            #expect(heard.status == status, "\(command)")
            #expect(!heard.errors.isEmpty, "\(command)")
            for lost in ["2>/dev/full", "2>&-", "<&- 2>&-"] {
                let unheard = try await run(#""$0" \#(command) \#(lost)"#)
                #expect(unheard.status == status, "\(command) \(lost)")
                if !command.hasPrefix("bench") { #expect(unheard.output == heard.output, "\(command) \(lost)") }
            }
        }
    }

    @Test func `no socket takes the place of a stream that is closed`() async throws {
        let result = try await run(#""$0" get -v \#(origin.url("/")) <&- >&- 2>&-"#)
        #expect(result.status == 23)
        let head = try #require(origin.requests.first).head
        #expect(String(decoding: head, as: UTF8.self).hasSuffix("\r\n\r\n"))
        let batch = try await run(#""$0" trust evaluate --batch - <&-"#)
        #expect(batch.status == 1)
        #expect(batch.errors.contains("Bad file descriptor"))
    }
}
