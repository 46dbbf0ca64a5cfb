// SPDX-License-Identifier: Apache-2.0

/// An object in at most one queue, which stores its index.
protocol IntrusiveQueueElement: AnyObject {
    /// The position, written by the list that contains the element, and meaningless outside of one.
    var queueIndex: Int32 { get set }
}

/// A doubly linked list in an array, from which an element can be removed in constant time, because each stores its
/// position. It allocates nothing once the array has grown, and frees the memory of a burst.
struct IntrusiveQueue<Member: IntrusiveQueueElement>: ~Copyable {
    private struct Place {
        var member: Member?
        var previous = none
        var next = none
    }

    private static var none: Int32 { -1 }
    /// Below this size no memory is freed.
    private static var kept: Int { 1024 }

    private var places: [Place] = []
    private var head = none
    private var tail = none
    /// The first free slot; `next` leads to the others.
    private var free = none
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The number of slots, including free ones.
    var capacity: Int { places.count }

    var first: Member? { member(at: head) }

    var last: Member? { member(at: tail) }

    func contains(_ member: Member) -> Bool { place(of: member) != nil }

    func member(after member: Member) -> Member? {
        place(of: member).flatMap { self.member(at: places[$0].next) }
    }

    func member(before member: Member) -> Member? {
        place(of: member).flatMap { self.member(at: places[$0].previous) }
    }

    mutating func append(_ member: Member) {
        link(take(member), between: tail, and: Self.none)
    }

    /// Inserts `member` before `other`.
    mutating func insert(_ member: Member, before other: Member) {
        guard let next = place(of: other) else { return append(member) }
        link(take(member), between: places[next].previous, and: Int32(next))
    }

    mutating func popFirst() -> Member? {
        guard let member = first else { return nil }
        remove(member)
        return member
    }

    mutating func popLast() -> Member? {
        guard let member = last else { return nil }
        remove(member)
        return member
    }

    /// Removes `member`, if it is in this list.
    mutating func remove(_ member: Member) {
        guard let index = place(of: member) else { return }
        let (previous, next) = (places[index].previous, places[index].next)
        if previous >= 0 { places[Int(previous)].next = next } else { head = next }
        if next >= 0 { places[Int(next)].previous = previous } else { tail = previous }
        places[index].member = nil
        places[index].next = free
        free = Int32(index)
        count -= 1
        if places.count > Self.kept, count < places.count / 8 { closeRanks() }
    }

    private func member(at place: Int32) -> Member? { place >= 0 ? places[Int(place)].member : nil }

    /// Trusts the stored position only if it is correct.
    private func place(of member: Member) -> Int? {
        let index = Int(member.queueIndex)
        return places.indices.contains(index) && places[index].member === member ? index : nil
    }

    /// Gives `member` a slot that is not linked yet.
    private mutating func take(_ member: Member) -> Int32 {
        let place = free
        if place >= 0 {
            free = places[Int(place)].next
            places[Int(place)].member = member
            member.queueIndex = place
            return place
        }
        let new = Int32(truncatingIfNeeded: places.count)
        places.append(Place(member: member))
        member.queueIndex = new
        return new
    }

    private mutating func link(_ place: Int32, between previous: Int32, and next: Int32) {
        places[Int(place)].previous = previous
        places[Int(place)].next = next
        if previous >= 0 { places[Int(previous)].next = place } else { head = place }
        if next >= 0 { places[Int(next)].previous = place } else { tail = place }
        count += 1
    }

    /// Moves all elements to the front of a smaller array. As many have left since the last time as there are slots, so
    /// the cost per removal is constant.
    private mutating func closeRanks() {
        var smaller = IntrusiveQueue()
        smaller.places.reserveCapacity(max(2 * count, Self.kept))
        var next = head
        while next >= 0 {
            let place = places[Int(next)]
            if let member = place.member { smaller.append(member) }
            next = place.next
        }
        self = smaller
    }
}
