// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite struct BenchCommandTests {
    @Test func `--json prints one object with the promised keys`() async throws {
        let server = try await NginxServer()
        let result = try await TernTool.run("bench", server.url(), "-c", "4", "-d", "0.3", "--threads", "2", "--json")
        let object = try result.object()
        #expect(result.status == 0)
        #expect(
            Set(object.keys) == [
                "url", "connections", "threads", "seconds", "requests", "errors", "requests_per_second",
                "cpu_us_per_request", "latency_us", "peak_rss_bytes",
            ])
        #expect(Set((object["latency_us"] as? [String: Any] ?? [:]).keys) == ["p50", "p90", "p99", "max"])
        let requests = try #require(object["requests"] as? Int)
        #expect(requests > 10)
        #expect(object["errors"] as? Int == 0)
        // What it says it sent is what the server saw.
        #expect(await server.accessLog.waitFor { $0.count(where: { $0.contains(" 200 GET ") }) == requests })
    }

    @Test func `a server that is not there is an error, not a figure`() async throws {
        let port = try LoopbackPort.free().number
        let result = try await TernTool.run("bench", "http://127.0.0.1:\(port)/", "-c", "2", "-d", "0.2")
        #expect(result.status == 1)
        #expect(result.errors.contains("could not connect"))
    }
}
