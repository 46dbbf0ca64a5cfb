// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue. Each element is released as it is taken: releasing a hundred thousand at once would
/// block the loop. Memory that a burst has allocated is freed when the queue is empty.
///
/// Inlinable so that queues in other modules are specialised, instead of looking up their metadata at run time.
@usableFromInline
package struct WorkQueue<Element>: ~Copyable {
    /// The capacity kept when the queue is empty. Growing beyond it again costs no more than the first time, so freeing
    /// the rest is cheap in the long run.
    @inlinable static var kept: Int { 1024 }

    /// Elements from `next` up to `end`; empty slots elsewhere.
    @usableFromInline var places: [Element?] = []
    @usableFromInline var next = 0
    @usableFromInline var end = 0

    @inlinable package var count: Int { end &- next }

    @inlinable package var isEmpty: Bool { next == end }

    /// The elements in order. They share the queue's memory until it changes.
    @inlinable package var elements: ArraySlice<Element?> { places[next..<end] }

    /// The current capacity.
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

    /// For a queue that is not empty.
    @inlinable mutating func closeRanks() {
        places.removeFirst(next)
        end &-= next
        next = 0
    }
}

extension WorkQueue: Sendable where Element: Sendable {}
