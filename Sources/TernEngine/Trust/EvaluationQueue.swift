// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTLS

/// The queue of evaluations that take longer than a reactor can afford, a few of which run at a time. Any thread may
/// use it.
///
/// One queue for the process: whatever servers send, evaluations use at most half of its processors. Its length is
/// bounded by the number of handshakes: one evaluation each, and none for a handshake that has been given up.
final class EvaluationQueue: Sendable {
    static let shared = EvaluationQueue(width: ProcessInfo.processInfo.activeProcessorCount / 2)

    /// The maximum number of concurrent evaluations on large machines.
    private static let maximumWidth = 4

    /// One evaluation in the queue, for a caller that withdraws it.
    struct Ticket: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let ticket: Ticket
        let evaluation: PendingEvaluation
        let completion: @Sendable (CompletedEvaluation) -> Void
    }

    private struct State {
        var waiting: [Entry] = []
        var running = 0
        var issued: UInt64 = 0
    }

    let width: Int
    private let state = Lock(State())

    init(width: Int) { self.width = min(max(1, width), Self.maximumWidth) }

    /// Calls `completion` on a thread of the queue, once the evaluation has run; never, if it is withdrawn first.
    func run(
        _ evaluation: PendingEvaluation, completion: @escaping @Sendable (CompletedEvaluation) -> Void
    ) -> Ticket {
        let (ticket, isIdle) = state.withLock { state -> (Ticket, Bool) in
            state.issued += 1
            let ticket = Ticket(number: state.issued)
            state.waiting.append(Entry(ticket: ticket, evaluation: evaluation, completion: completion))
            guard state.running < width else { return (ticket, false) }
            state.running += 1
            return (ticket, true)
        }
        if isIdle { WorkThreads.computing.run { self.work() } }
        return ticket
    }

    /// Removes an evaluation from the queue. A running one is completed.
    func withdraw(_ ticket: Ticket) {
        // Released outside the lock: it retains certificates, and perhaps a policy of the user.
        let withdrawn = state.withLock { state -> Entry? in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0) }
        }
        withExtendedLifetime(withdrawn) {}
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }
    var runningCount: Int { state.withLock { $0.running } }

    private func work() {
        while let entry = next() { entry.completion(entry.evaluation.run()) }
    }

    private func next() -> Entry? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
