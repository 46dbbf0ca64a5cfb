import TernTesting
import Testing
import WeatherClient

/// The origin listens on loopback and answers what its script says.
struct WeatherClientTests {
    @Test func `a temperature is decoded`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [request.target == "/temperature/reykjavik" ? .ok(#"{"celsius": -1.5}"#) : .close]
        }
        let client = WeatherClient(server: "http://127.0.0.1:\(origin.port)")
        #expect(try await client.temperature(at: "reykjavik") == -1.5)
        #expect(origin.requests.count == 1)
    }

    @Test func `an unknown place is an error of its own`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))]
        }
        let client = WeatherClient(server: "http://127.0.0.1:\(origin.port)")
        await #expect(throws: WeatherClient.UnknownPlace.self) { try await client.temperature(at: "atlantis") }
    }

    @Test func `a connection that is closed is reported as such`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let client = WeatherClient(server: "http://127.0.0.1:\(origin.port)")
        await #expect(throws: (any Error).self) { try await client.temperature(at: "reykjavik") }
    }
}
