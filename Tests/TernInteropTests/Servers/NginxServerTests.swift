// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting
import Testing

/// Proof of the fixture itself, with curl as the client.
@Suite struct NginxServerTests {
    @Test func `serves over http and https and logs each request`() async throws {
        let server = try await NginxServer(files: ["a.txt": Data("letter".utf8)])
        let folder = try TemporaryFolder()
        let anchors = try folder.write(server.authority.certificatePEM, to: "ca.pem")
        #expect(try await curl(server.url(), server.url("/a.txt")) == "okletter")
        #expect(try await curl("--cacert", anchors, server.secureURL("/a.txt")) == "letter")
        #expect(await server.accessLog.waitFor { $0.count(where: { $0.contains(" 200 GET ") }) == 3 })
        let requests = server.accessLog.lines.filter { $0.contains(" GET ") }.map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(
            requests.map { $0[1...] } == [
                ["1", "200", "GET", "/ok"], ["2", "200", "GET", "/a.txt"], ["1", "200", "GET", "/a.txt"],
            ])
        #expect(requests[0][0] == requests[1][0])
    }

    @Test func `takes more directives`() async throws {
        let server = try await NginxServer(directives: "location = /gone { return 410 gone; }")
        #expect(try await curl("-w", " %{http_code}", server.url("/gone")) == "gone 410")
    }

    @Test func `leaves no process on its port when it is stopped`() async throws {
        let server = try await NginxServer()
        #expect(LoopbackPort(server.port).accepts())
        await server.stop()
        #expect(!LoopbackPort(server.port).accepts())
        #expect(!LoopbackPort(server.securePort).accepts())
        await server.stop()
    }

    @Test func `says what is wrong with its directives`() async throws {
        let error = await #expect(throws: ServerError.self) { _ = try await NginxServer(directives: "nonsense;") }
        #expect(error?.description.contains(#"unknown directive "nonsense""#) == true)
    }
}
