// SPDX-License-Identifier: Apache-2.0

/// What can stand in a `Line`, in one at a time, and remembers where.
protocol LineMember: AnyObject {
    /// The line's own note: written by the line it stands in, without meaning outside of one.
    var placeInLine: Int32 { get set }
}

/// A line that anybody may leave from anywhere, in constant time, because each knows its place: a list linked both
/// ways, in an array. It allocates nothing once the array has grown, and gives back what a burst has made of it.
struct Line<Member: LineMember>: ~Copyable {
    private struct Place {
        var member: Member?
        var previous = none
        var next = none
    }

    private static var none: Int32 { -1 }
    /// Below this there is nothing worth giving back.
    private static var kept: Int { 1024 }

    private var places: [Place] = []
    private var head = none
    private var tail = none
    /// The first of the free places; `next` leads to the others.
    private var free = none
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many places there are, empty ones included.
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

    /// Lets `member` in right before `other`.
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

    /// Lets `member` go, if it stands here.
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

    /// Believes the note only if it is true.
    private func place(of member: Member) -> Int? {
        let index = Int(member.placeInLine)
        return places.indices.contains(index) && places[index].member === member ? index : nil
    }

    /// Gives `member` a place, that leads nowhere yet.
    private mutating func take(_ member: Member) -> Int32 {
        let place = free
        if place >= 0 {
            free = places[Int(place)].next
            places[Int(place)].member = member
            member.placeInLine = place
            return place
        }
        let new = Int32(truncatingIfNeeded: places.count)
        places.append(Place(member: member))
        member.placeInLine = new
        return new
    }

    private mutating func link(_ place: Int32, between previous: Int32, and next: Int32) {
        places[Int(place)].previous = previous
        places[Int(place)].next = next
        if previous >= 0 { places[Int(previous)].next = place } else { head = place }
        if next >= 0 { places[Int(next)].previous = place } else { tail = place }
        count += 1
    }

    /// Moves all to the front of a smaller array. As many have left since the last time as there are places, so it
    /// costs each of them a constant.
    private mutating func closeRanks() {
        var smaller = Line()
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
