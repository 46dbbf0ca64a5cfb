// SPDX-License-Identifier: Apache-2.0
import TernSystem

/// Reads one JSON text (RFC 8259), and is strict where the RFC leaves a choice: no duplicate name, no lone surrogate,
/// no bytes after the value. Two readers of a trust policy must not read it differently. A byte order mark in front is
/// skipped (§8.1).
package struct JSONReader {
    /// A policy needs five levels; recursion is bounded, whatever a file contains.
    private static let maximumDepth = 32

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    /// Reads all of `bytes` as one value.
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONNode {
        var reader = JSONReader(bytes: bytes)
        let node = try reader.value()
        reader.skipWhitespace()
        guard reader.offset == bytes.count else { throw reader.error(.trailingBytes) }
        return node
    }

    /// Whether a text begins as an object does, and as no PEM text.
    static func beginsObject(_ bytes: [UInt8]) -> Bool {
        var reader = JSONReader(bytes: bytes)
        reader.skipWhitespace()
        return (try? reader.peek()) == UInt8(ascii: "{")
    }

    private init(bytes: [UInt8]) { (self.bytes, offset) = (bytes, bytes.withoutByteOrderMark.startIndex) }

    private mutating func value() throws(JSONError) -> JSONNode {
        skipWhitespace()
        let start = offset
        let value: JSONNode.Value =
            switch try peek() {
            case UInt8(ascii: "{"): try nested { reader throws(JSONError) in try reader.object() }
            case UInt8(ascii: "["): try nested { reader throws(JSONError) in try reader.array() }
            case UInt8(ascii: "\""): .string(try string())
            case UInt8(ascii: "t"): try literal("true", .boolean(true))
            case UInt8(ascii: "f"): try literal("false", .boolean(false))
            case UInt8(ascii: "n"): try literal("null", .null)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number(try number())
            case let byte: throw error(.unexpectedByte(byte))
            }
        return JSONNode(value: value, offset: start)
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> JSONNode.Value
    ) throws(JSONError) -> JSONNode.Value {
        guard depth < Self.maximumDepth else { throw error(.tooDeep(limit: Self.maximumDepth)) }
        depth += 1
        offset += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONNode.Value {
        var members: [JSONNode.Member] = []
        var names: Set<String> = []
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipWhitespace()
            let start = offset
            guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedByte(try peek())) }
            let name = try string()
            guard names.insert(name).inserted else { throw JSONError(reason: .duplicateName(name), offset: start) }
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw error(.unexpectedByte(try peek())) }
            members.append(JSONNode.Member(name: name, offset: start, node: try value()))
            if try !continues(until: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    private mutating func array() throws(JSONError) -> JSONNode.Value {
        var elements: [JSONNode] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value())
            if try !continues(until: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    /// After an element: whether a comma follows, rather than the end.
    private mutating func continues(until end: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        if take(UInt8(ascii: ",")) { return true }
        guard take(end) else { throw error(.unexpectedByte(try peek())) }
        return false
    }

    private mutating func literal(_ word: StaticString, _ value: JSONNode.Value) throws(JSONError) -> JSONNode.Value {
        for expected in word.description.utf8 where !take(expected) { throw error(.unexpectedByte(try peek())) }
        return value
    }

    private mutating func number() throws(JSONError) -> String {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        let first = offset
        skipDigits()
        // No digit, or a leading zero.
        guard offset > first, offset == first + 1 || bytes[first] != UInt8(ascii: "0") else {
            throw error(.invalidNumber)
        }
        if take(UInt8(ascii: ".")) { try requireDigits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            try requireDigits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func skipDigits() {
        while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
    }

    private mutating func requireDigits() throws(JSONError) {
        let start = offset
        skipDigits()
        guard offset > start else { throw error(.invalidNumber) }
    }
}

// Strings
extension JSONReader {
    private mutating func string() throws(JSONError) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while true {
            let plain = offset
            while offset < bytes.count, bytes[offset] >= 0x20, bytes[offset] != UInt8(ascii: "\""),
                bytes[offset] != UInt8(ascii: "\\")
            { offset += 1 }
            text.append(contentsOf: bytes[plain..<offset])
            switch try peek() {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONError(reason: .invalidUTF8, offset: start)
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case let byte: throw error(.controlCharacter(byte))
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        let start = offset
        offset += 1
        let byte = try peek()
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = UnicodeScalar(try codePoint(from: start)) else {
                throw JSONError(reason: .loneSurrogate, offset: start)
            }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw JSONError(reason: .invalidEscape, offset: start)
        }
    }

    /// The code point after `\u`; a pair of surrogates counts as one. A lone one is returned as it is.
    private mutating func codePoint(from start: Int) throws(JSONError) -> UInt32 {
        let unit = try fourDigits(from: start)
        guard (0xD800...0xDBFF).contains(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { return unit }
        let second = try fourDigits(from: start)
        guard (0xDC00...0xDFFF).contains(second) else { return unit }
        return 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
    }

    private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt32 {
        guard bytes.count - offset >= 4 else { throw JSONError(reason: .unexpectedEnd, offset: bytes.count) }
        var unit: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw JSONError(reason: .invalidEscape, offset: start)
            }
            unit = unit << 4 | UInt32(digit)
        }
        offset += 4
        return unit
    }
}

// The next byte
extension JSONReader {
    private func peek() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[offset]
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipWhitespace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            default: return
            }
        }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: offset) }
}

/// A JSON value with its position, so that an error can report it.
package struct JSONNode: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        /// As written: the reader of the field interprets it.
        case number(String)
        case string(String)
        case array([JSONNode])
        /// In order; no name occurs twice.
        case object([Member])
    }

    package struct Member: Sendable, Hashable {
        package let name: String
        /// The position of the name's opening quote, in bytes from the beginning of the text.
        package let offset: Int
        package let node: JSONNode
    }

    package let value: Value
    /// The position of the value's first byte, in bytes from the beginning of the text.
    package let offset: Int

    /// The type of the value in error messages.
    package var kind: String {
        switch value {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// Why a text is not JSON (RFC 8259).
package struct JSONError: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case unexpectedEnd
        case unexpectedByte(UInt8)
        case invalidNumber
        /// A control character inside a string.
        case controlCharacter(UInt8)
        case invalidEscape
        /// Half of a surrogate pair.
        case loneSurrogate
        case invalidUTF8
        /// Two members of one object have this name: readers would disagree about which counts.
        case duplicateName(String)
        case tooDeep(limit: Int)
        /// There are bytes after the value.
        case trailingBytes
    }

    package let reason: Reason
    /// In bytes from the beginning of the text.
    package let offset: Int
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        switch reason {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.name(byte))"
        case .invalidNumber: "not a number as JSON writes them"
        case .controlCharacter(let byte): "\(Self.name(byte)) inside a string is not escaped"
        case .invalidEscape: "unknown escape"
        case .loneSurrogate: "half of a surrogate pair"
        case .invalidUTF8: "not UTF-8"
        case .duplicateName(let name): "\"\(name)\" occurs twice"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .trailingBytes: "there is more after the value"
        }
    }

    private static func name(_ byte: UInt8) -> String {
        (0x21...0x7e).contains(byte) ? "\"\(UnicodeScalar(byte))\"" : "byte 0x" + String(byte, radix: 16)
    }
}
