// SPDX-License-Identifier: Apache-2.0

/// The request fields that the encoder interprets.
enum RequestField {
    case expect
    case upgrade
    case connection

    /// Recognised by length and folded words, like ``FramingField``.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        let start = name.lowerBound
        switch name.count {
        case 6 where bytes.extracting(name).isEqualIgnoringCase(to: "expect".utf8.span): self = .expect
        case 7 where bytes.extracting(name).isEqualIgnoringCase(to: "upgrade".utf8.span): self = .upgrade
        case 10 where FramingField(bytes, start..<name.upperBound) == .connection: self = .connection
        case _: return nil
        }
    }

    /// Whether the encoder writes this field itself instead of the caller.
    @inline(__always)
    static func isEncoders(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.isFieldName("Host")
        case 14: name.isFieldName("Content-Length")
        case 17: name.isFieldName("Transfer-Encoding")
        case _: false
        }
    }
}
