// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@Suite struct BenchCommandTests {
    @Test func `--json prints one object with the promised keys`() async throws {
        let server = try await NginxServer()
        let result = try await TernTool.run("bench", server.url(), "-c", "4", "-d", "0.3", "--threads", "2", "--json")
        let object = try result.object()
        #expect(result.status == 0)
        #expect(
            Set(object.keys) == [
                "url", "connections", "threads", "seconds", "requests", "errors", "errors_by_kind", "unfinished",
                "requests_per_second",
                "cpu_us_per_request", "latency_us", "peak_rss_bytes",
            ])
        #expect(Set((object["latency_us"] as? [String: Any] ?? [:]).keys) == ["p50", "p90", "p99", "max"])
        let requests = try #require(object["requests"] as? Int)
        #expect(requests > 10)
        #expect(object["errors"] as? Int == 0)
        #expect((object["errors_by_kind"] as? [String: Int])?.isEmpty == true)
        // The server has answered every answered request; requests in progress may have been answered, too.
        let unfinished = try #require(object["unfinished"] as? Int)
        #expect(unfinished <= 4)
        #expect(
            await server.accessLog.waitFor {
                (requests...requests + unfinished).contains($0.count(where: { $0.contains(" 200 GET ") }))
            })
    }

    @Test func `a server that is not there is an error, not a figure`() async throws {
        let port = try LoopbackPort.free().number
        let result = try await TernTool.run("bench", "http://127.0.0.1:\(port)/", "-c", "2", "-d", "0.2")
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot connect to"))
        #expect(!result.text.contains("/s") && !result.text.contains("latency"), "\(result.text)")
    }

    @Test func `errors are distinguished and counted`() async throws {
        let server = try await NginxServer()
        let missing = try await TernTool.run("bench", server.url("/nowhere"), "-c", "2", "-d", "0.2", "--json")
        let object = try missing.object()
        let requests = try #require(object["requests"] as? Int)
        #expect(requests > 0)
        #expect(object["errors_by_kind"] as? [String: Int] == ["status 404": requests])
        #expect(missing.status == 1)

        let port = try LoopbackPort.free().number
        let refused = try await TernTool.run("bench", "http://127.0.0.1:\(port)/", "-c", "2", "-d", "60")
        #expect(refused.text.contains("200 × unreachable: Connection refused"), "\(refused.text)")
    }

    @Test(arguments: ["hold", "drip"])
    func `it ends when its time is up, whatever the server does`(habit: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            if habit == "hold" { return [.hold] }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
                .drip([UInt8](repeating: 0x61, count: 100_000), every: .milliseconds(5)),
            ]
        }
        let result = try await TernTool.run("bench", origin.url("/"), "-c", "3", "-d", "0.5", "--json")
        let object = try result.object()
        #expect(result.status == 1)
        #expect(object["requests"] as? Int == 0)
        #expect(object["errors"] as? Int == 0)
        #expect(object["unfinished"] as? Int == 3)
        #expect(try #require(object["seconds"] as? Double) < 5)
    }
}
