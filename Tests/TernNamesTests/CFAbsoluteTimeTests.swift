// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import Testing

@Suite struct CFAbsoluteTimeTests {
    @Test func `the time counts from the reference date`() {
        let before = Date().timeIntervalSinceReferenceDate
        let now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        #expect(now >= before && now - before < 60)
    }
}
