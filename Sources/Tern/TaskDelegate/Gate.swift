// SPDX-License-Identifier: Apache-2.0

/// Lets visitors in one at a time, in the order they came, once it has been opened.
///
/// A visitor stays in until the next one is asked for. The owner guards the gate with a lock and acts outside it: each
/// event returns the visitor that has just come in and is to be told, if there is one.
struct Gate<Visitor> {
    /// The visitor at the head of the queue: as a rule the only one, which then costs no memory.
    private var first: Visitor?
    private var queue: [Visitor] = []
    private var isOpen = false
    /// The visitor that is in.
    private(set) var visitor: Visitor?

    /// Whether anybody waits.
    var isAwaited: Bool { first != nil }

    /// A visitor comes, at any time.
    mutating func admit(_ newcomer: Visitor) -> Visitor? {
        if isOpen, visitor == nil {
            visitor = newcomer
            return newcomer
        }
        if first == nil { first = newcomer } else { queue.append(newcomer) }
        return nil
    }

    /// What they wait for has happened. Happens once: later calls do nothing.
    mutating func open() -> Visitor? {
        if isOpen { return nil }
        isOpen = true
        return next()
    }

    /// The visitor that is in leaves.
    mutating func next() -> Visitor? {
        if isOpen {
            visitor = first.take()
            if !queue.isEmpty { first = queue.removeFirst() }
        }
        return visitor
    }
}
