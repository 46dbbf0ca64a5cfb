// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The event loops of a session's reactors. Retains nothing of the session.
package struct EventLoops: Sendable {
    let loops: [ReactorLoop]

    /// Runs `work` at the end of the tick, if this is the thread of one of the reactors, and at once if it is not: for
    /// work that wakes another thread.
    package func afterTick(_ work: @escaping @Sendable () -> Void) {
        let here = loops.first { $0.isCurrent }
        if let here { here.afterTick(work) } else { work() }
    }

    /// Resumes `continuation` with the others of the same tick, if this is the thread of one of the reactors, and at once
    /// if it is not.
    ///
    /// Safety: as for `UnsafeContinuation.resume()`.
    @unsafe package func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        let here = loops.first { $0.isCurrent }
        if let here { unsafe here.resume(continuation) } else { unsafe continuation.resume() }
    }
}
