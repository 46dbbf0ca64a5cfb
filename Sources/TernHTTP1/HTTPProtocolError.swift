// SPDX-License-Identifier: Apache-2.0

/// Why a message cannot be decoded, or may not be encoded.
///
/// After a decoding error the connection's framing is unknown: close it. After an encoding error nothing of the
/// refused piece has been written.
public struct HTTPProtocolError: Error, Sendable, Hashable {
    /// The rule that was broken.
    public let reason: Reason
    /// Decoding: the offending byte's position, counted from the first byte of the exchange's response, 1xx included.
    /// Encoding: its position in the offending string.
    public let offset: Int
    /// What stood there, printable: at most 32 bytes of the line, ending with the offending one; others as `\xHH`.
    /// Bytes of a field's value are left out, for they may be secret; only the value of a framing field is shown.
    public let excerpt: String

    init(_ reason: Reason, offset: Int = 0, excerpt: String = "") {
        self.reason = reason
        self.offset = offset
        self.excerpt = excerpt
    }
}

extension HTTPProtocolError {
    /// A server has sent something before it was asked for anything.
    public static let unexpectedBytes = HTTPProtocolError(.unsolicited(.bytes))
}

extension HTTPProtocolError: CustomStringConvertible {
    /// For example: `no space may precede the colon (RFC 9112 §5.1), at byte 31: "Content-Length "`.
    public var description: String {
        var text = "\(reason.rule) (\(reason.source))"
        if offset > 0 { text += ", at byte \(offset)" }
        if !excerpt.isEmpty { text += ": \"\(excerpt)\"" }
        return text
    }
}

extension HTTPProtocolError {
    /// An error about a string of the caller's, at its first byte that is not visible ASCII.
    init(_ reason: Reason, in text: String) {
        let bytes = text.utf8.span
        var offset = 0
        while offset < bytes.count, bytes[offset].isVisible { offset &+= 1 }
        if offset == bytes.count { offset = 0 }
        let end = offset == 0 ? bytes.count : offset &+ 1
        self.init(reason, offset: offset, excerpt: Excerpt.of(bytes, 0..<min(end, bytes.count)))
    }
}
