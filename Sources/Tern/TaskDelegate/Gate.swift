// SPDX-License-Identifier: Apache-2.0

/// Resumes waiters one at a time, in the order in which they were added, once it is open.
///
/// A waiter is current until the next one is taken. The owner guards the gate with a lock and acts outside it: each
/// event returns the waiter that has become current and is to be resumed, if there is one.
struct Gate<Waiter> {
    /// The waiter at the head of the queue: usually the only one, which then needs no array.
    private var first: Waiter?
    private var queue: [Waiter] = []
    private var isOpen = false
    /// The waiter that has been resumed.
    private(set) var current: Waiter?

    /// Whether a waiter is in the queue.
    var isAwaited: Bool { first != nil }

    /// Adds a waiter; returns it if it becomes current.
    mutating func admit(_ newWaiter: Waiter) -> Waiter? {
        if isOpen, current == nil {
            current = newWaiter
            return newWaiter
        }
        if first == nil { first = newWaiter } else { queue.append(newWaiter) }
        return nil
    }

    /// Opens the gate, and returns the first waiter. Later calls do nothing.
    mutating func open() -> Waiter? {
        if isOpen { return nil }
        isOpen = true
        return next()
    }

    /// Ends the current waiter, and returns the next one.
    mutating func next() -> Waiter? {
        if isOpen {
            current = first.take()
            if !queue.isEmpty { first = queue.removeFirst() }
        }
        return current
    }

    /// Closes it once more, for a time: this waiter is the first that is let in again.
    mutating func close(before waiter: Waiter) {
        if let first { queue.insert(first, at: 0) }
        (first, current, isOpen) = (waiter, nil, false)
    }
}
