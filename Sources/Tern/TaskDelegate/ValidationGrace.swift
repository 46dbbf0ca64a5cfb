// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernLock

// A validation that follows a handler in the same statement.
//
// In `manager.request(url).response { … }.validate { … }` the request runs before the statement ends. Over loopback the
// response can be complete between two calls, most easily when the reactor's thread takes the processor from the calling
// thread. The handler must then wait for the rest of the statement. Two events end the wait:
//
// 1. The request object is released. Each chained call needs a reference to it, so no call can follow the release.
//    A statement that keeps no reference ends with it. This costs one atomic exchange per request.
// 2. The grace is over: `RequestContext.validationGrace` after the last chained call. A request that the caller keeps
//    looks like one whose statement has not ended, and no event tells them apart.
//
// A Swift task that awaits the request ends the wait, too. With a retrier, or another reason to conclude on the callback
// queue, the wait comes before the conclusion. The hub must hold the request until then, so the release goes unseen: the
// queue asks at the start whether the hub's reference is the only one, and otherwise waits for the whole grace.
//
// The first handler waits, and only if no validation stands before it and the response is complete without an error. A
// request that is released, validated before its handler, awaited, or answered after the grace waits for nothing and
// needs no timer. A thread that gets no processor for the whole grace between two calls can still be late.
extension TaskDelegate {
    /// Who may still chain calls to the request.
    enum Chain: UInt8, AtomicRepresentable {
        /// The caller or the hub has a reference. Exits: awaited, released.
        case held
        /// A handler waits for the release or the end of the grace. Exits: held, released.
        case awaited
        /// The request object is gone, or no call follows. Exit: none.
        case released
    }

    /// Ends the wait of the first handler: no validation follows it.
    func endChain() {
        if chain.exchange(.released, ordering: .acquiringAndReleasing) == .awaited { context.callbacks.post(self) }
    }

    /// Whether a validation may still follow the first handler; if so, the callback queue calls again. On the callback
    /// queue.
    func awaitsValidation() -> Bool {
        if chain.load(ordering: .acquiring) == .released { return false }
        let grace = context.validationGrace.withLock { $0 }
        let (remaining, task) = state.withLock { ($0.remainingGrace(of: grace), $0.task) }
        guard let remaining else { return false }
        if let task, context.tasks.isOnlyHolder(ofRequestOf: task) { return false }
        let (arms, chain) = chain.compareExchange(
            expected: .held, desired: .awaited, ordering: .acquiringAndReleasing)
        if arms { Self.later(remaining) { [weak self] in self?.endGrace() } }
        return chain != .released
    }

    /// Ends the wait, unless another call is chained.
    func endGrace() {
        let (ends, _) = chain.compareExchange(expected: .awaited, desired: .held, ordering: .acquiringAndReleasing)
        if ends { context.callbacks.post(self) }
    }

    /// Nanoseconds of a clock that costs little to read and advances every few milliseconds.
    static var coarseTime: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)  // cannot fail: the clock and the address are valid
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
