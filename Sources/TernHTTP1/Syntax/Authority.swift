// SPDX-License-Identifier: Apache-2.0

/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2), without userinfo.
enum Authority {
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard let port = hostEnd(text) else { return false }
        return port == text.count || isPort(text, from: port &+ 1)
    }

    /// The same with the port required, as CONNECT does (RFC 9112 §3.2.3).
    static func isHostAndPort(_ text: Span<UInt8>) -> Bool {
        guard let port = hostEnd(text), port &+ 1 < text.count else { return false }
        return isPort(text, from: port &+ 1)
    }

    /// Where a valid, non-empty host ends: at the port's colon or at the end.
    private static func hostEnd(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        var position = 0
        if text[0] == UInt8(ascii: "[") {
            position = 1
            while position < text.count, isAddress(text[position]) { position &+= 1 }
            guard position > 1, position < text.count, text[position] == UInt8(ascii: "]") else { return nil }
            position &+= 1
        } else {
            while position < text.count, isRegisteredName(text[position]) { position &+= 1 }
            guard position > 0 else { return nil }
        }
        return position == text.count || text[position] == .colon ? position : nil
    }

    private static func isPort(_ text: Span<UInt8>, from start: Int) -> Bool {
        for index in start..<max(start, text.count) where !text[index].isDigit { return false }
        return text.count &- start <= 5
    }

    /// A byte of an IP literal: hexadecimal groups, an embedded IPv4 address, or `IPvFuture`.
    private static func isAddress(_ byte: UInt8) -> Bool {
        byte == .colon || isRegisteredName(byte) && byte != UInt8(ascii: "%")
    }

    /// `unreserved / pct-encoded / sub-delims`, that is a token without a few, and with a few more.
    private static func isRegisteredName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        case UInt8(ascii: "("), UInt8(ascii: ")"), .comma, .semicolon, UInt8(ascii: "="): true
        case _: byte.isToken
        }
    }
}
