// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTesting

@Suite struct OriginObservationsTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `an interrupted request is remembered and not counted`() {
        var observations = OriginObservations(rememberedRequests: 10)
        var request = ReceivedRequest(connection: 1, index: 0, head: [])
        observations.add(request)
        request.isComplete = true
        observations.add(request)
        #expect(observations.requests.count == 2)
        #expect(observations.requestCount == 1)
    }

    @Test func `without a memory requests are only counted`() {
        var observations = OriginObservations(rememberedRequests: 0)
        var request = ReceivedRequest(connection: 1, index: 0, head: [])
        request.isComplete = true
        observations.add(request)
        #expect(observations.requests.isEmpty)
        #expect(observations.requestCount == 1)
    }

    @Test func `remembers the latest requests and counts all`() throws {
        var configuration = ScriptedOrigin.Configuration()
        configuration.rememberedRequests = 2
        let origin = try ScriptedOrigin(configuration) { _, request in [.ok("<\(request.index)>")] }
        let client = try RawClient(port: origin.port)
        for index in 0..<9 {
            client.send(get)
            #expect(client.receive(until: "<\(index)>").hasSuffix("<\(index)>"))
        }
        #expect(origin.observations.requestCount == 9)
        #expect((2...4).contains(origin.requests.count))
        #expect(origin.requests.last?.index == 8)
    }
}

@Suite struct OriginCloseTests {
    @Test func `sees how the client closes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        try RawClient(port: origin.port).finishSending()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin] })
        try RawClient(port: origin.port).armReset()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin, .reset] })
    }
}
