// SPDX-License-Identifier: Apache-2.0

/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2), without userinfo.
enum Authority {
    static func isValid(_ text: Span<UInt8>) -> Bool {
        guard let port = hostEnd(text) else { return false }
        return port == text.count || isPort(text, from: port &+ 1)
    }

    /// Parses an authority with a port, as CONNECT requires (RFC 9112 §3.2.3).
    static func isHostAndPort(_ text: Span<UInt8>) -> Bool {
        guard let port = hostEnd(text), port &+ 1 < text.count else { return false }
        return isPort(text, from: port &+ 1)
    }

    /// Where a valid, non-empty host ends: at the port's colon or at the end.
    private static func hostEnd(_ text: Span<UInt8>) -> Int? {
        guard !text.isEmpty else { return nil }
        var position = 0
        if text[0] == .leftBracket {
            guard let end = literalEnd(text) else { return nil }
            position = end
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

    /// The end of an `IP-literal`, after its bracket: an IPv6 address, or an address of a future kind.
    private static func literalEnd(_ text: Span<UInt8>) -> Int? {
        var position = 1
        var colons = 0
        let isFuture = text.count > 1 && text[1] | 0x20 == UInt8(ascii: "v")
        while position < text.count, text[position] != .rightBracket {
            let byte = text[position]
            if byte == .colon { colons &+= 1 }
            guard byte.isAddressByte || isFuture && isRegisteredName(byte) else { return nil }
            position &+= 1
        }
        guard position < text.count, colons > 1 || isFuture && position > 2 else { return nil }
        return position &+ 1
    }

    /// `unreserved / pct-encoded / sub-delims`: a token without some characters, and with some more.
    private static func isRegisteredName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        case UInt8(ascii: "("), UInt8(ascii: ")"), .comma, .semicolon, UInt8(ascii: "="): true
        case _: byte.isToken
        }
    }
}
