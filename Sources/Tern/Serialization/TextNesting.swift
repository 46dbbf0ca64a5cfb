// SPDX-License-Identifier: Apache-2.0

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
