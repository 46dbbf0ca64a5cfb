// SPDX-License-Identifier: Apache-2.0
import TernIO

@testable import TernEngine

/// Moves a clock whenever a task waits before a retry, within the event.
final class ClockMover: SessionObserver {
    private let clock: TestClock
    private let step: Duration

    init(_ clock: TestClock, by step: Duration) { (self.clock, self.step) = (clock, step) }

    func observe(_ observation: TaskObservation) {
        if case .waiting(for: .delay) = observation.event { clock.advance(by: step) }
    }
}
