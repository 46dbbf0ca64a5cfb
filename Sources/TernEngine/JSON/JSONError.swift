// SPDX-License-Identifier: Apache-2.0

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
        case .controlCharacter(let byte): "\(Self.name(byte)) inside a string has to be escaped"
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
