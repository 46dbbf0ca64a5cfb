// SPDX-License-Identifier: Apache-2.0

/// Lets waiters in one at a time, in the order they came, once it has been opened.
///
/// A waiter stays in until the next one is asked for. The owner guards the gate with a lock and acts outside it: each
/// event returns the waiter that has just come in and is to be told, if there is one.
struct Gate<Waiter> {
    /// The waiter at the head of the queue: as a rule the only one, which then costs no memory.
    private var first: Waiter?
    private var queue: [Waiter] = []
    private var isOpen = false
    /// The waiter that is in.
    private(set) var current: Waiter?

    /// Whether anybody waits.
    var isAwaited: Bool { first != nil }

    /// A waiter comes, at any time.
    mutating func admit(_ newWaiter: Waiter) -> Waiter? {
        if isOpen, current == nil {
            current = newWaiter
            return newWaiter
        }
        if first == nil { first = newWaiter } else { queue.append(newWaiter) }
        return nil
    }

    /// What they wait for has happened. Happens once: later calls do nothing.
    mutating func open() -> Waiter? {
        if isOpen { return nil }
        isOpen = true
        return next()
    }

    /// The waiter that is in leaves.
    mutating func next() -> Waiter? {
        if isOpen {
            current = first.take()
            if !queue.isEmpty { first = queue.removeFirst() }
        }
        return current
    }
}
