// SPDX-License-Identifier: Apache-2.0

/// Checks property lists of the three formats against `PropertyListLimit` before they are parsed.
enum PropertyListCheck {
    /// Throws if the list is nested too deep, or has too many objects. The parser reports all other errors.
    static func check(_ bytes: Span<UInt8>) throws(PropertyListLimit) {
        if begins(bytes, with: "bplist") {
            var table = try BinaryPropertyList(bytes)
            return try table.check(bytes)
        }
        var place = 0
        while place < bytes.count, bytes[place] <= 0x20 || bytes[place] >= 0xbb { place += 1 }
        if place < bytes.count, bytes[place] == UInt8(ascii: "<") {
            var text = XMLNesting()
            for index in bytes.indices { try text.take(bytes[index]) }
        } else {
            var text = TextNesting()
            for index in bytes.indices { try text.take(bytes[index]) }
        }
    }

    private static func begins(_ bytes: Span<UInt8>, with text: String) -> Bool {
        var place = 0
        for byte in text.utf8 {
            if place >= bytes.count || bytes[place] != byte { return false }
            place += 1
        }
        return true
    }
}

/// Why a property list is refused before it is parsed: the underlying error of
/// ``AFError/ResponseSerializationFailureReason/propertyListSerializationFailed(error:)``.
///
/// A few hundred bytes can describe an object of gigabytes, because a binary property list may reference the same array
/// many times.
public enum PropertyListLimit: Error, Sendable, Hashable {
    /// Its collections are nested more than 512 deep.
    case tooDeep
    /// Expanded, it has more objects than a list of its length may have.
    case tooManyObjects
    /// It begins as a binary property list, but is malformed, or has a value that no property list has, such as a set
    /// or a date that is no number.
    case malformed

    /// The maximum depth of nested collections.
    static let depth = 512

    /// The maximum number of objects of a list of this many bytes. Every reference to an object takes at least a byte,
    /// so a list that references each collection once stays far below.
    static func objects(in count: Int) -> Int { 1_024 + count.multipliedReportingOverflow(by: 8).partialValue }
}

extension PropertyListLimit: CustomStringConvertible {
    /// The kind of error.
    public var description: String {
        switch self {
        case .tooDeep: "the property list is nested more than \(Self.depth) deep"
        case .tooManyObjects: "the property list has too many objects for its length"
        case .malformed: "the property list is malformed"
        }
    }
}

/// The table of objects of a binary property list, which may reference an object any number of times: each collection
/// is walked once.
///
/// The format ends with 32 bytes: at 6 the size of an offset, at 7 that of a reference, at 8 the number of objects, at
/// 16 the outermost one, at 24 the position of their offsets; numbers are big-endian.
struct BinaryPropertyList {
    /// The progress of the walk for an object.
    private enum Progress {
        case unseen
        /// A collection that is being walked: one that references it contains itself.
        case open
        /// The number of its objects, and its depth.
        case known(objects: Int, depth: Int)
    }

    /// A collection that is being walked.
    private struct Level {
        let object: Int
        /// The number of references that are keys, which come first.
        let keyCount: Int
        /// Where its references begin.
        let start: Int
        let count: Int
        var next = 0
        var objects = 1
        var depth = 1
    }

    private static let trailer = 32

    private let offsetSize: Int
    private let referenceSize: Int
    private let offsets: Int
    private let top: Int
    private var progress: [Progress]
    private var levels: [Level] = []

    init(_ bytes: Span<UInt8>) throws(PropertyListLimit) {
        let end = bytes.count - Self.trailer
        guard end >= 8 else { throw .malformed }
        offsetSize = Int(bytes[end + 6])
        referenceSize = Int(bytes[end + 7])
        guard let count = Self.number(bytes, at: end + 8, size: 8), let top = Self.number(bytes, at: end + 16, size: 8),
            let offsets = Self.number(bytes, at: end + 24, size: 8), offsetSize > 0, referenceSize > 0, top < count,
            offsets < end, count <= (end - offsets) / offsetSize
        else { throw .malformed }
        (self.top, self.offsets) = (top, offsets)
        progress = Array(repeating: .unseen, count: count)
    }

    /// Throws if the list is malformed, nested too deep, or has too many objects.
    mutating func check(_ bytes: Span<UInt8>) throws(PropertyListLimit) {
        let limit = PropertyListLimit.objects(in: bytes.count)
        try enter(top, bytes)
        while let level = levels.last {
            guard level.next < level.count else {
                leave(level)
                continue
            }
            levels[levels.count - 1].next += 1
            guard let object = Self.number(bytes, at: level.start + level.next * referenceSize, size: referenceSize),
                object < progress.count
            else { throw .malformed }
            if level.next < level.keyCount, isUID(object, bytes) { throw .malformed }
            switch progress[object] {
            case .unseen: try enter(object, bytes)
            case .open: throw .malformed
            case .known(let objects, let depth): add(objects, depth)
            }
            if let last = levels.last {
                if last.objects > limit { throw .tooManyObjects }
                if levels.count + last.depth - 1 > PropertyListLimit.depth { throw .tooDeep }
            }
        }
    }

    /// The first reference to an object: a collection is walked next.
    private mutating func enter(_ object: Int, _ bytes: Span<UInt8>) throws(PropertyListLimit) {
        guard let place = Self.number(bytes, at: offsets + object * offsetSize, size: offsetSize), place < offsets
        else {
            throw .malformed
        }
        let marker = bytes[place]
        switch marker >> 4 {
        case 0xa, 0xd:
            guard let (count, start) = extent(marker, place, bytes) else { throw .malformed }
            // A dictionary has as many keys as values.
            let references = marker >> 4 == 0xd ? count * 2 : count
            guard references <= (offsets - start) / referenceSize else { throw .malformed }
            if levels.count >= PropertyListLimit.depth { throw .tooDeep }
            progress[object] = .open
            levels.append(
                Level(object: object, keyCount: references - count, start: start, count: references))
        default:
            guard isLeaf(marker, place, bytes) else { throw .malformed }
            progress[object] = .known(objects: 1, depth: 0)
            add(1, 0)
        }
    }

    /// Whether this is one of the kinds that property lists have, besides arrays and dictionaries, or a UID, by which the
    /// objects of a keyed archive reference each other. The format has more: null and fill, which no list has, sets, which
    /// crash Foundation, and dates that are no number, which crash it when they are described.
    private func isLeaf(_ marker: UInt8, _ place: Int, _ bytes: Span<UInt8>) -> Bool {
        switch marker {
        case 0x08, 0x09: return true  // booleans
        case 0x10...0x14, 0x22, 0x23: return true  // integers of 1 to 16 bytes, reals of 4 and 8
        case 0x33:
            var bits: UInt64 = 0
            guard place + 9 <= offsets else { return false }
            for index in place + 1..<place + 9 { bits = bits << 8 | UInt64(bytes[index]) }
            return Double(bitPattern: bits).isFinite
        case 0x40...0x6f: return true  // data, ASCII, UTF-16
        case 0x80...0x8f: return true  // UIDs of 1 to 16 bytes
        default: return false
        }
    }

    /// Whether it is a UID: as a key of a dictionary, one crashes Foundation when dictionaries are compared.
    private func isUID(_ object: Int, _ bytes: Span<UInt8>) -> Bool {
        guard let place = Self.number(bytes, at: offsets + object * offsetSize, size: offsetSize), place < offsets
        else {
            return false
        }
        return bytes[place] >> 4 == 8
    }

    /// The number of members of a collection, and where they begin.
    private func extent(_ marker: UInt8, _ place: Int, _ bytes: Span<UInt8>) -> (count: Int, start: Int)? {
        if marker & 15 != 15 { return (Int(marker & 15), place + 1) }
        guard place + 1 < offsets, bytes[place + 1] >> 4 == 1, bytes[place + 1] & 15 <= 3 else { return nil }
        let size = 1 << Int(bytes[place + 1] & 15)
        guard place + 2 + size <= offsets, let count = Self.number(bytes, at: place + 2, size: size),
            count <= bytes.count
        else { return nil }
        return (count, place + 2 + size)
    }

    /// All members of a collection have been seen.
    private mutating func leave(_ level: Level) {
        progress[level.object] = .known(objects: level.objects, depth: level.depth)
        levels.removeLast()
        add(level.objects, level.depth)
    }

    /// The innermost collection has a member with this result.
    private mutating func add(_ objects: Int, _ depth: Int) {
        if levels.isEmpty { return }
        let last = levels.count - 1
        let (sum, overflows) = levels[last].objects.addingReportingOverflow(objects)
        levels[last].objects = overflows ? .max : sum
        levels[last].depth = max(levels[last].depth, depth + 1)
    }

    /// The number in these bytes; nil if it is not within the list or too large.
    private static func number(_ bytes: Span<UInt8>, at place: Int, size: Int) -> Int? {
        guard place >= 0, size <= bytes.count, place <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for index in place..<place + size {
            if value >> 55 != 0 { return nil }
            value = value << 8 | UInt64(bytes[index])
        }
        return Int(exactly: value)
    }
}

/// Counts how deep the elements of an XML property list are nested, in any encoding in which ASCII characters are
/// encoded as themselves, apart from zero bytes.
struct XMLNesting {
    private enum Place {
        case text
        /// Behind `<`.
        case opening
        /// In a tag that begins an element.
        case tag(isClosing: Bool)
        /// In a tag that ends an element, or in an instruction.
        case passing
        /// After `<!`, with the part of `--` so far.
        case declaration(dashes: Int)
        /// In a comment, with the number of consecutive dashes.
        case comment(dashes: Int)
    }

    private var place = Place.text
    private var depth = 0

    mutating func take(_ byte: UInt8) throws(PropertyListLimit) {
        if byte == 0 { return }
        switch place {
        case .text: if byte == UInt8(ascii: "<") { place = .opening }
        case .opening: open(byte)
        case .tag(let isClosing): try passTag(byte, isClosing)
        case .passing: if byte == UInt8(ascii: ">") { place = .text }
        case .declaration(let dashes): declare(byte, dashes)
        case .comment(let dashes):
            if byte == UInt8(ascii: ">"), dashes >= 2 {
                place = .text
            } else {
                place = .comment(dashes: byte == UInt8(ascii: "-") ? dashes + 1 : 0)
            }
        }
    }

    private mutating func open(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "/"):
            depth -= 1
            place = .passing
        case UInt8(ascii: "?"): place = .passing
        case UInt8(ascii: "!"): place = .declaration(dashes: 0)
        default: place = .tag(isClosing: false)
        }
    }

    private mutating func passTag(_ byte: UInt8, _ isClosing: Bool) throws(PropertyListLimit) {
        guard byte == UInt8(ascii: ">") else {
            place = .tag(isClosing: byte == UInt8(ascii: "/"))
            return
        }
        place = .text
        if isClosing { return }
        depth += 1
        // The outermost element is not a collection.
        if depth > PropertyListLimit.depth + 1 { throw .tooDeep }
    }

    private mutating func declare(_ byte: UInt8, _ dashes: Int) {
        switch byte {
        case UInt8(ascii: "-"): place = dashes == 1 ? .comment(dashes: 0) : .declaration(dashes: 1)
        case UInt8(ascii: ">"): place = .text
        default: place = .passing
        }
    }
}

/// Counts how deep the collections of an OpenStep property list are nested, in any encoding in which ASCII characters
/// are encoded as themselves, apart from zero bytes.
struct TextNesting {
    private var depth = 0
    /// The quotation mark of the current string.
    private var quote: UInt8?
    private var isEscaped = false

    mutating func take(_ byte: UInt8) throws(PropertyListLimit) {
        if isEscaped {
            isEscaped = false
        } else if let open = quote {
            if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == open { quote = nil }
        } else {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "("), UInt8(ascii: "{"):
                depth += 1
                if depth > PropertyListLimit.depth { throw .tooDeep }
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
    }
}
