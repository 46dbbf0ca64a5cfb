// SPDX-License-Identifier: Apache-2.0

/// Decides when a task must pause because its bytes wait for a reader, and when it may continue.
///
/// Guarded by the lock of those bytes, and updated with every change of them. Its owner pauses and resumes the task
/// outside of the lock: two threads may then do it in either order, because the task counts both.
package struct Valve: Sendable {
    /// A task pauses when more bytes than this wait: twice the amount of a tick, so that a reader that keeps up never
    /// pauses it.
    package static let highWater = 2 * TickAllowance.maximum

    private var held: SessionTask?

    /// Never pauses.
    package init() {}

    /// `count` bytes wait, after some have arrived. Returns the task if it is to be paused.
    package mutating func fill(to count: Int, from task: SessionTask) -> SessionTask? {
        guard count > Self.highWater, held == nil else { return nil }
        held = task
        return task
    }

    /// No bytes wait any more, or only briefly. Returns the task that is to be resumed, if it is paused.
    package mutating func drain() -> SessionTask? { held.take() }
}
