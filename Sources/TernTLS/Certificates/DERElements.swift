// SPDX-License-Identifier: Apache-2.0

/// The elements inside a DER SEQUENCE, in order (X.690 §8.1), for tags of one byte.
///
/// Reading also ends at a malformed element; `isAtEnd` distinguishes the two.
struct DERElements: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ elements: ArraySlice<UInt8>) { rest = elements }

    /// Nil if the bytes are not exactly one SEQUENCE.
    init?(sequence bytes: [UInt8]) {
        rest = bytes[...]
        guard let outer = next(), outer.tag == 0x30, rest.isEmpty else { return nil }
        rest = outer.content
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The number of elements; `limit` if some are malformed.
    func count(orAtMost limit: Int) -> Int {
        var elements = self
        var count = 0
        while elements.next() != nil { count += 1 }
        return elements.isAtEnd ? count : limit
    }

    /// The encoding of one element, which is the one that was read if it came from here.
    static func element(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        var encoding: [UInt8] = [tag]
        var length: [UInt8] = []
        var rest = content.count
        repeat {
            length.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        } while rest > 0
        if content.count >= 0x80 { encoding.append(0x80 | UInt8(truncatingIfNeeded: length.count)) }
        encoding += length.reversed()
        return encoding + content
    }

    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard rest.count >= 2 else { return nil }
        let tag = rest[rest.startIndex]
        var body = rest.dropFirst(2)
        var length = Int(rest[rest.startIndex + 1])
        if length >= 0x80 {
            // Long form: the number of length bytes. Four would be a certificate of 16 MB.
            let count = length & 0x7f
            guard (1...3).contains(count), body.count >= count, body.first != 0 else { return nil }
            length = body.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            // X.690 §10.1: the length uses as few bytes as possible.
            guard length >= 0x80 else { return nil }
            body = body.dropFirst(count)
        }
        guard body.count >= length else { return nil }
        rest = body.dropFirst(length)
        return (tag, body.prefix(length))
    }
}
