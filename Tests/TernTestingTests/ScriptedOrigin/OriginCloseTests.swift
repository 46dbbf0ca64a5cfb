// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@Suite struct OriginCloseTests {
    @Test func `sees how the client closes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        try RawClient(port: origin.port).finishSending()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin] })
        try RawClient(port: origin.port).armReset()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin, .reset] })
    }
}
