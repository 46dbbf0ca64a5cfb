// SPDX-License-Identifier: Apache-2.0

/// First in, first out, and each element is let go of as it is taken: a hundred thousand that are let go of together would
/// be one long piece of work. What a burst has made of its memory is given back when the queue is empty.
package struct WorkQueue<Element>: ~Copyable {
    /// Places kept for what comes next. To have outgrown them costs as much as to outgrow them again, so giving the rest back
    /// is free in the long run.
    static var kept: Int { 1024 }

    /// Places before `next` are empty, none are behind it.
    private var places: [Element?] = []
    private var next = 0

    var count: Int { places.count - next }

    package var isEmpty: Bool { next == places.count }

    /// How many there is room for.
    var capacity: Int { places.capacity }

    package init() {}

    package mutating func append(_ element: Element) {
        if next >= Self.kept, next * 2 > places.count { closeRanks() }
        places.append(element)
    }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = places[next].take()
        next += 1
        if isEmpty { startOver() }
        return element
    }

    private mutating func startOver() {
        next = 0
        if places.capacity > 2 * Self.kept { places = [] } else { places.removeAll(keepingCapacity: true) }
    }

    /// For a queue that is never empty.
    private mutating func closeRanks() {
        places.removeFirst(next)
        next = 0
    }
}

extension WorkQueue: Sendable where Element: Sendable {}
