// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@Suite struct OriginCoreTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `ends held connections and refuses new ones after a stop`() throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let client = try RawClient(port: origin.port)
        client.send(get)
        origin.stop()
        #expect(client.receiveAll().end != .silence)
        #expect(throws: RawClient.Unconnected.self) { _ = try RawClient(port: origin.port) }
        origin.stop()
    }

    @Test func `stops when it is not referenced any more`() throws {
        var origin: ScriptedOrigin? = try ScriptedOrigin { _, _ in [] }
        let port = try #require(origin?.port)
        let client = try RawClient(port: port)
        origin = nil
        #expect(client.receiveAll().end != .silence)
        #expect(throws: RawClient.Unconnected.self) { _ = try RawClient(port: port) }
    }

    @Test func `can be stopped by its own script`() throws {
        final class Box: @unchecked Sendable { var origin: ScriptedOrigin? }  // written once, before any request
        let box = Box()
        let origin = try ScriptedOrigin { _, _ in
            box.origin?.stop()
            return [.ok("late")]
        }
        box.origin = origin
        let client = try RawClient(port: origin.port)
        client.send(get)
        #expect(client.receiveAll().end != .silence)
        box.origin = nil
    }
}
