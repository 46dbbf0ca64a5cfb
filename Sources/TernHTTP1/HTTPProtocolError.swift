// SPDX-License-Identifier: Apache-2.0

/// Why a message cannot be decoded, or may not be encoded.
///
/// After a decoding error the connection's framing is unknown: close it. After an encoding error, no byte of the
/// refused message or chunk has been written.
public struct HTTPProtocolError: Error, Sendable, Hashable {
    /// The rule that was broken.
    public let reason: Reason
    /// Decoding: the offending byte's position, counted from the first byte of the exchange's response, 1xx included.
    /// Encoding: its position in the offending string.
    public let offset: Int
    /// The offending text, printable: at most 32 bytes of the line, ending with the offending byte; other bytes as
    /// `\xHH`. Bytes of a field value are omitted because they may be secret, except those of a framing field.
    public let excerpt: String

    init(_ reason: Reason, offset: Int = 0, excerpt: String = "") {
        self.reason = reason
        self.offset = offset
        self.excerpt = excerpt
    }
}

extension HTTPProtocolError {
    /// Whether a server has sent bytes before it received a request.
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
    /// Returns an error about a string of the caller, at its first byte that is not visible ASCII.
    init(_ reason: Reason, in text: String) {
        let bytes = text.utf8.span
        var offset = 0
        while offset < bytes.count, bytes[offset].isVisible { offset &+= 1 }
        if offset == bytes.count { offset = 0 }
        let end = offset == 0 ? bytes.count : offset &+ 1
        self.init(reason, offset: offset, excerpt: Excerpt.of(bytes, 0..<min(end, bytes.count)))
    }
}
