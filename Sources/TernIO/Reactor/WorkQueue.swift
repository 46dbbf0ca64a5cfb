// SPDX-License-Identifier: Apache-2.0

/// First in, first out, and each element is let go of as it is taken: a hundred thousand that are let go of together
/// would be one long piece of work. What a burst has made of its memory is given back when the queue is empty.
///
/// Inlinable so that other modules' queues are of their own type, and not of one that is looked up at run time.
@usableFromInline
package struct WorkQueue<Element>: ~Copyable {
    /// Places kept for what comes next. To have outgrown them costs as much as to outgrow them again, so giving the
    /// rest back is free in the long run.
    @inlinable static var kept: Int { 1024 }

    /// Taken from `next` up to `end`, and empty elsewhere.
    @usableFromInline var places: [Element?] = []
    @usableFromInline var next = 0
    @usableFromInline var end = 0

    @inlinable package var count: Int { end &- next }

    @inlinable package var isEmpty: Bool { next == end }

    /// How many there is room for.
    var capacity: Int { places.capacity }

    @inlinable package init() {}

    @inlinable package mutating func append(_ element: Element) {
        if end < places.count {
            places[end] = element
        } else if next >= Self.kept, next &* 2 > end {
            closeRanks()
            places.append(element)
        } else {
            places.append(element)
        }
        end &+= 1
    }

    @inlinable package mutating func popFirst() -> Element? {
        guard next < end else { return nil }
        let element = places[next].take()
        next &+= 1
        if next == end { startOver() }
        return element
    }

    @inlinable mutating func startOver() {
        (next, end) = (0, 0)
        if places.capacity > 2 * Self.kept { places = [] }
    }

    /// For a queue that is never empty.
    @inlinable mutating func closeRanks() {
        places.removeFirst(next)
        end &-= next
        next = 0
    }
}

extension WorkQueue: Sendable where Element: Sendable {}
