// SPDX-License-Identifier: Apache-2.0

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
