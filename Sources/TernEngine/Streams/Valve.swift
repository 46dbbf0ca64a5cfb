// SPDX-License-Identifier: Apache-2.0

/// Says when a task has to stop reading because its bytes wait for a reader, and when it may go on.
///
/// Lives under the lock that guards those bytes and is asked with every change of them. Its owner holds and releases
/// the task when the lock is free: two threads may then do it in either order, because a task counts both.
package struct Valve: Sendable {
    /// A task stops when more bytes than this wait: twice what a tick brings, so that a reader that keeps pace never
    /// stops it.
    package static let highWater = 2 * TurnAllowance.octets

    private var held: SessionTask?

    /// Lets everything through.
    package init() {}

    /// `count` bytes wait, now that some have come. Returns the task if it is to be held.
    package mutating func fill(to count: Int, from task: SessionTask) -> SessionTask? {
        guard count > Self.highWater, held == nil else { return nil }
        held = task
        return task
    }

    /// Nothing waits any more, or not for long. Returns the task that is to be released, if one is held.
    package mutating func drain() -> SessionTask? { held.take() }
}
