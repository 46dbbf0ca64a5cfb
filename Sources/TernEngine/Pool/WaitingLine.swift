// SPDX-License-Identifier: Apache-2.0

/// First come, first served, in constant time: an array would move everybody up for each one served.
struct WaitingLine<Element>: ~Copyable {
    /// Empty places before `head` have been served; none are behind it.
    private var places: [Element?] = []
    private var head = 0

    var count: Int { places.count - head }

    var isEmpty: Bool { count == 0 }

    var first: Element? { self[0] }

    /// The one with so many before it; nil behind the end.
    subscript(position: Int) -> Element? {
        position >= 0 && position < count ? places[head + position] : nil
    }

    mutating func append(_ element: Element) {
        places.append(element)
    }

    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = places[head].take()
        head += 1
        closeRanks()
        return element
    }

    /// Removes the first one, from the front, that fulfils `condition`.
    mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
        guard let index = places[head...].firstIndex(where: { $0.map(condition) ?? false }) else { return nil }
        if index == head { return removeFirst() }
        return places.remove(at: index)
    }

    /// Empties the line; those who stood in it, in order.
    mutating func removeAll() -> [Element] {
        let all = places[head...].compactMap(\.self)
        places = []
        head = 0
        return all
    }

    /// Gives the empty places back when they are the greater part.
    private mutating func closeRanks() {
        guard head >= 32, head * 2 > places.count else { return }
        places.removeFirst(head)
        head = 0
    }
}
