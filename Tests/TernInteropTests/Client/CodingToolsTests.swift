// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTesting
import TestPrograms
import Testing

/// What the programs gzip, brotli and zstd make is decoded, and they decode what is sent.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CodingToolsTests {
    private static let text = Data((0..<20_000).map { "line \($0 &* $0)\n" }.joined().utf8)

    private struct Tool {
        let name: String
        let coding: String
        let levels: [[String]]
        let compressions: [ContentCompression]
    }

    private static var tools: [Tool] {
        var tools = [
            Tool(
                name: "gzip", coding: "gzip", levels: (1...9).map { ["-\($0)"] },
                compressions: [.gzip, .gzip(level: 9)])
        ]
        #if Brotli
            tools.append(
                Tool(
                    name: "brotli", coding: "br",
                    levels: (0...11).map { ["-q", "\($0)"] } + [["-w", "10"], ["-w", "24"]],
                    compressions: [.brotli, .brotli(quality: 11)]))
        #endif
        #if Zstd
            tools.append(
                Tool(
                    name: "zstd", coding: "zstd",
                    levels: (1...19).map { ["-q", "-\($0)"] } + [
                        ["-q", "--fast=5", "--no-check"], ["-q", "--ultra", "-22"],
                    ],
                    compressions: [.zstd, .zstd(level: 19)]))
        #endif
        return tools
    }

    @Test func `what the tools make at any level is decoded`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.text, to: "text")
        for tool in Self.tools {
            for level in tool.levels {
                let coded = try await Command.run([tool.name] + level + ["-c", file]).bytes
                let origin = try ScriptedOrigin { _, _ in
                    [.respond(fields: [("Content-Encoding", tool.coding)], body: Array(coded))]
                }
                let (data, response) = try await Session().data(for: URLRequest(string: origin.url("/")))
                #expect(data == Self.text && response.isContentDecoded, "\(tool.name) \(level)")
            }
        }
    }

    @Test func `the tools decode what is sent, whole or in chunks`() async throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        for tool in Self.tools {
            for compression in tool.compressions {
                for content in [Self.text.prefix(1000), Self.text] {
                    var request = try URLRequest(string: origin.url("/"))
                    request.httpMethod = "POST"
                    request.httpBody = content
                    request.compression = compression
                    _ = try await Session().data(for: request)
                    let received = try #require(origin.requests.last)
                    #expect(received.value(of: "Content-Encoding") == tool.coding)
                    let file = try folder.write(Data(received.body), to: "received.\(tool.name)")
                    let decoded = try await Command.run(["sh", "-c", "\(tool.name) -dc < \"$0\"", file])
                    #expect(Data(decoded.bytes) == content && decoded.status == 0, "\(decoded.errors)")
                }
            }
        }
    }
}
