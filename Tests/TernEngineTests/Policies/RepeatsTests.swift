// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct RepeatsTests {
    private let lost = Evidence(wasReused: true, isSent: true)

    @Test func `a hop is repeated once, and once again after the next redirect`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/"))
        let repeats = Repeats(rule: RepeatRule(isEnabled: true))
        #expect(repeats.lostConnection(lost, &history) == true)
        #expect(repeats.lostConnection(lost, &history) == false)
        _ = history.move(to: try URLRequest(string: "http://a.test/2"), RedirectChain())
        #expect(repeats.lostConnection(lost, &history) == true)
    }

    @Test func `nothing is repeated where the session says so`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/"))
        #expect(Repeats(rule: RepeatRule(isEnabled: false)).lostConnection(lost, &history) == false)
        #expect(history.repeatCount == 0)
    }
}
