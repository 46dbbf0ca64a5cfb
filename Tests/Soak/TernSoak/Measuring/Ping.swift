// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernEngine

/// One question to the neighbour, timed on the reactor that answers.
///
/// The answer is written before the semaphore is signalled and read after.
final class Ping: SessionTaskDelegate, @unchecked Sendable {
    struct Answer {
        var delay: Delay
        var thread: Int32
        var isFine: Bool
    }

    private let start = MonotonicInstant.now.nanoseconds
    private let before: [Int32: ThreadTime]
    private let completed = DispatchSemaphore(value: 0)
    private var answer: Answer?

    init(reactors: Set<Int32>) {
        before = Dictionary(uniqueKeysWithValues: reactors.map { ($0, ThreadTime(of: $0)) })
    }

    func wait() -> Answer {
        completed.wait()
        return answer ?? Answer(delay: delayUntilNow, thread: 0, isFine: false)
    }

    /// For one that is not answered: what the busiest of the reactors has done since.
    var delayUntilNow: Delay {
        let now = MonotonicInstant.now.nanoseconds
        let delays = before.map { Delay(from: start, to: now, $0.value, ThreadTime(of: $0.key)) }
        return delays.max { $0.work < $1.work } ?? Delay(from: start, to: now, nil, nil)
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let (thread, now) = (ThreadTime.currentThread, MonotonicInstant.now.nanoseconds)
        let delay = Delay(from: start, to: now, before[thread], ThreadTime(of: thread))
        answer = Answer(delay: delay, thread: thread, isFine: error == nil)
        completed.signal()
    }
}
