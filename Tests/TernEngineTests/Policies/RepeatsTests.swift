// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct RepeatsTests {
    private let lost = HopFailure.lost(Evidence(wasReused: true, isSent: true))

    private func isRepeated(_ policy: Repeats, _ failure: HopFailure, _ history: inout TaskHistory) -> Bool {
        if case .again = policy.decide(on: failure, &history) { true } else { false }
    }

    @Test func `a hop is repeated once, and once again after the next redirect`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/"))
        let repeats = Repeats(rule: RepeatRule(isEnabled: true))
        #expect(isRepeated(repeats, lost, &history) == true)
        #expect(isRepeated(repeats, lost, &history) == false)
        _ = history.move(to: try URLRequest(string: "http://a.test/2"), RedirectChain())
        #expect(isRepeated(repeats, lost, &history) == true)
    }

    @Test func `a server that no connection reaches is not tried again`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/"))
        let repeats = Repeats(rule: RepeatRule(isEnabled: true))
        #expect(!isRepeated(repeats, .unconnected(.queueFull(limit: 1)), &history))
    }

    @Test func `nothing is repeated where the session says so`() throws {
        var history = TaskHistory(try URLRequest(string: "http://a.test/"))
        #expect(isRepeated(Repeats(rule: RepeatRule(isEnabled: false)), lost, &history) == false)
        #expect(history.repeatCount == 0)
    }
}
