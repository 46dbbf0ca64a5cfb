// SPDX-License-Identifier: Apache-2.0

/// Parts of a value that few such values have, in one object: a value without them has one empty reference in their place,
/// which costs less to make, to copy and to destroy than each of them. Copies are independent.
struct Rare<Parts: RareValue> {
    /// Changed only while one value has it, so an access to its parts is one to the value, which is checked.
    fileprivate final class Box {
        @safe @exclusivity(unchecked) var parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private var box: Box?

    init() {}

    /// All parts; nil if it has none of them.
    @inline(__always)
    var parts: Parts? { box?.parts }

    /// Sets a part, or removes it.
    @inline(__always)
    mutating func set<Part>(_ part: Part?, _ assign: (inout Parts, Part?) -> Void) {
        if box != nil || part != nil { change { assign(&$0, part) } }
    }

    @inline(never)
    mutating func change<Result>(_ body: (inout Parts) -> Result) -> Result {
        if isKnownUniquelyReferenced(&box), let box { return body(&box.parts) }
        let own = Box(box?.parts ?? Parts())
        box = own
        return body(&own.parts)
    }
}

extension Rare: @unchecked Sendable where Parts: Sendable {}

/// Parts that most values lack.
protocol RareValue {
    /// None of them.
    init()
}
