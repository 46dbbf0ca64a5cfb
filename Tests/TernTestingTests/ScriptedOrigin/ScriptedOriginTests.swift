// SPDX-License-Identifier: Apache-2.0

import TernTesting
import Testing

@Suite struct ScriptedOriginTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `answers requests on one connection as the script says`() throws {
        let origin = try ScriptedOrigin { connection, request in [.ok("\(connection).\(request.index)")] }
        let client = try RawClient(port: origin.port)
        client.send(get)
        #expect(client.receive(until: "1.0").hasSuffix("Content-Length: 3\r\n\r\n1.0"))
        client.send(get)
        #expect(client.receive(until: "1.1").hasSuffix("\r\n\r\n1.1"))
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.map(\.index) == [0, 1])
    }

    @Test func `counts connections from one`() async throws {
        let origin = try ScriptedOrigin { connection, _ in [.ok("\(connection)"), .close] }
        for number in 1...3 {
            let client = try RawClient(port: origin.port)
            client.send(get)
            #expect(client.receiveAll().text.hasSuffix("\r\n\r\n\(number)"))
        }
        #expect(await origin.waitFor { $0.connectionCount == 3 && $0.openConnections == 0 })
    }
}
