// SPDX-License-Identifier: Apache-2.0
import TernLock

/// Runs a session's user code. Requests that complete while it is busy wait in a mailbox and share one dispatched
/// block: waking a thread costs more than a small request.
///
/// Runs one block at a time, so handlers run one after another on any queue.
package final class CallbackQueue: Sendable {
    /// Has work for the queue.
    package protocol Source: AnyObject, Sendable {
        func performCallbacks()
    }

    private struct State {
        var waiting: [any Source] = []
        var isScheduled = false
    }

    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let eventLoops: EventLoops?
    private let state = Lock(State())

    /// - Parameters:
    ///   - eventLoops: the event loops of the reactors that post here.
    ///   - run: runs a block later, after the earlier ones or beside them.
    package init(
        after eventLoops: EventLoops? = nil, _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.run, self.eventLoops) = (run, eventLoops)
    }

    /// Calls the source back soon.
    package func post(_ source: any Source) {
        let schedules = state.withLock { state in
            state.waiting.append(source)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        if let eventLoops { eventLoops.afterTick { self.schedule() } } else { schedule() }
    }

    /// Resumes a task that waits for a request: not on the queue, but with the others of a reactor's tick.
    ///
    /// Safety: as for `UnsafeContinuation.resume()`.
    @unsafe package func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        if let eventLoops { unsafe eventLoops.resume(continuation) } else { unsafe continuation.resume() }
    }

    private func schedule() { run { self.deliver() } }

    /// Delivers the waiting items. Items that arrive meanwhile get another block, so that other work on the queue is
    /// not delayed.
    private func deliver() {
        var sources = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for source in sources { source.performCallbacks() }
        sources.removeAll(keepingCapacity: true)
        let isPending = state.withLock { state in
            if state.waiting.isEmpty {
                // Return the empty array: its memory is reused for the next burst.
                state.waiting = sources
                state.isScheduled = false
            }
            return state.isScheduled
        }
        if isPending { schedule() }
    }
}

/// A block that runs once on the callback queue.
package final class CallbackBlock: CallbackQueue.Source {
    private let body: Lock<(@Sendable () -> Void)?>

    package init(_ body: @escaping @Sendable () -> Void) { self.body = Lock(body) }

    package func performCallbacks() {
        let body = body.withLock { $0.take() }
        body?()
    }
}
