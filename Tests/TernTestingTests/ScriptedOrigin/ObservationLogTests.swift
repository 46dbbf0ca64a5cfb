// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TernTesting

@Suite struct ObservationLogTests {
    private let log = ObservationLog(rememberedRequests: 1)

    @Test func `a wait for what has been seen returns at once`() async {
        log.record { $0.headCount = 1 }
        #expect(await log.wait(.seconds(60)) { $0.headCount == 1 })
    }

    @Test func `a wait ends with the observation`() async {
        async let seen = log.wait(.seconds(60)) { $0.headCount == 100 }
        for _ in 0..<100 {
            log.record { $0.headCount += 1 }
            await Task.yield()
        }
        #expect(await seen)
    }

    @Test func `a wait for bytes ends with them`() async {
        async let seen = log.wait(.seconds(60)) { $0.bytesSent == 200 && $0.bytesReceived == 100 }
        for _ in 0..<100 {
            log.record(sent: 2)
            log.record(received: 1)
            await Task.yield()
        }
        #expect(await seen)
        #expect(log.observations.bytesSent == 200)
    }

    @Test func `a wait for a condition that does not come true ends with its timeout`() async {
        #expect(await log.wait(.zero) { $0.headCount == 1 } == false)
        #expect(await log.wait(.milliseconds(5)) { $0.headCount == 1 } == false)
    }

    @Test func `a wait ends with its task`() async {
        let waiting = Task { await log.wait(.seconds(60)) { $0.headCount == 1 } }
        waiting.cancel()
        #expect(await waiting.value == false)
    }
}
