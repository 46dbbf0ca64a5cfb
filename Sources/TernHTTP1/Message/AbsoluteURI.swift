// SPDX-License-Identifier: Apache-2.0

/// The origin and the request target of an http or https URI (RFC 9110 §4.2).
///
/// Read byte by byte: a combining mark after a delimiter does not hide the delimiter. The fragment stays here (RFC 9110
/// §4.2.5: it is not sent), and so does userinfo (RFC 9110 §4.2.4: a sender must not).
package struct AbsoluteURI: Sendable, Hashable {
    /// The reason why a text is not such a URI, and the offending part.
    package enum Refusal: Error {
        case scheme(String)
        case host(String)
        case port(String)
        /// There is more than one "@" (RFC 3986 §3.2.1): readers differ in which of them ends it.
        case userinfo
    }

    package let origin: HTTPOrigin
    package let target: RequestTarget

    package init(_ text: String) throws(Refusal) {
        // Makes the text contiguous once, instead of at each access to its bytes.
        var text = text
        text.makeContiguousUTF8()
        let bytes = text.utf8.span
        let colon = bytes.first(.colon, from: 0)
        guard colon < bytes.count else { throw .scheme("") }
        let scheme = try Self.scheme(bytes.extracting(0..<colon))
        let start = colon &+ 3
        guard start <= bytes.count, bytes[colon &+ 1] == .slash, bytes[colon &+ 2] == .slash else { throw .host("") }
        let end = Self.authorityEnd(bytes, from: start)
        let authority = bytes.extracting(start..<end)
        let (host, port) = try Self.hostAndPort(authority.extracting(try Self.userinfoEnd(authority)..<authority.count))
        origin = HTTPOrigin(scheme: scheme, host: host, port: port ?? scheme.defaultPort)
        if origin.endsInNoAddress { throw .host(host) }
        let sent = bytes.extracting(end..<bytes.first(.hash, from: end)).text
        // RFC 9112 §3.2.1: an empty path is sent as "/".
        target = .origin(end < bytes.count && bytes[end] == .slash ? sent : "/" + sent)
    }

    private static func authorityEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < bytes.count, bytes[end] != .slash, bytes[end] != .questionMark, bytes[end] != .hash { end &+= 1 }
        return end
    }

    /// After the "@".
    private static func userinfoEnd(_ authority: Span<UInt8>) throws(Refusal) -> Int {
        var end = authority.count
        while end > 0, authority[end &- 1] != .at { end &-= 1 }
        if end > 0, authority.first(.at, from: 0) < end &- 1 { throw .userinfo }
        return end
    }

    private static func scheme(_ text: Span<UInt8>) throws(Refusal) -> HTTPOrigin.Scheme {
        if text.isEqualIgnoringCase(to: "http".utf8.span) { return .http }
        if text.isEqualIgnoringCase(to: "https".utf8.span) { return .https }
        // No scheme precedes the first colon of "127.0.0.1:8080".
        throw .scheme(text.isScheme ? text.text.lowercased() : "")
    }

    private static func hostAndPort(_ text: Span<UInt8>) throws(Refusal) -> (host: String, port: UInt16?) {
        let (host, end) =
            text.count > 0 && text[0] == .leftBracket ? try addressLiteral(text) : try registeredName(text)
        if end == text.count { return (host, nil) }
        return (host, try port(text.extracting((end &+ 1)..<text.count)))
    }

    private static func addressLiteral(_ text: Span<UInt8>) throws(Refusal) -> (host: String, end: Int) {
        let close = text.first(.rightBracket, from: 0)
        guard close < text.count else { throw .host(text.text) }
        let addressEnd = min(close, text.first(.percent, from: 0))
        var hasColon = false
        for index in 1..<addressEnd {
            guard text[index].isAddressByte else { throw .host(text.text) }
            if text[index] == .colon { hasColon = true }
        }
        let end = close &+ 1
        // Longer than any address with its zone, as a name may be.
        guard hasColon, close <= 254, end == text.count || text[end] == .colon else { throw .host(text.text) }
        let address = text.extracting(1..<addressEnd).text
        if addressEnd == close { return (address, end) }
        guard let zone = zone(text.extracting(addressEnd..<close)) else { throw .host(text.text) }
        return ("\(address)%\(zone)", end)
    }

    /// The name or number of an interface of this machine, after "%25" (RFC 6874 §2); nil if it can be none.
    private static func zone(_ text: Span<UInt8>) -> String? {
        guard text.count > 3, text[1] == UInt8(ascii: "2"), text[2] == UInt8(ascii: "5") else { return nil }
        var name: [UInt8] = []
        var position = 3
        while position < text.count {
            var byte = text[position]
            position &+= 1
            if byte == .percent {
                guard position &+ 1 < text.count, text[position].hexadecimalDigit < 16,
                    text[position &+ 1].hexadecimalDigit < 16
                else { return nil }
                byte = text[position].hexadecimalDigit << 4 | text[position &+ 1].hexadecimalDigit
                position &+= 2
            }
            // Linux refuses "/" and spaces in such a name, and we a second zone.
            guard byte.isVisible, byte != .slash, byte != .percent else { return nil }
            name.append(byte)
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func registeredName(_ text: Span<UInt8>) throws(Refusal) -> (host: String, end: Int) {
        let end = text.first(.colon, from: 0)
        let host = text.extracting(0..<end)
        var isName = true
        for index in 0..<end where !text[index].isNameByte { isName = false }
        // 253 bytes are a whole DNS name (RFC 1035 §2.3.4); one more is its trailing dot.
        guard isName, end > 0, end <= 254 else { throw .host(host.text) }
        return (host.text, end)
    }

    /// An empty port is the default one (RFC 3986 §3.2.3).
    private static func port(_ text: Span<UInt8>) throws(Refusal) -> UInt16? {
        if text.isEmpty { return nil }
        var port: UInt16 = 0
        for index in text.indices {
            let (tens, isTooLong) = port.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(UInt16(text[index] &- .zero))
            guard text[index].isDigit, !isTooLong, !isTooLarge else { throw .port(text.text) }
            port = sum
        }
        guard port > 0 else { throw .port(text.text) }
        return port
    }
}

extension Span<UInt8> {
    /// The first position of `byte`, or the end.
    fileprivate func first(_ byte: UInt8, from start: Int) -> Int {
        var position = start
        while position < count, self[position] != byte { position &+= 1 }
        return position
    }

    /// A range between two ASCII delimiters of a text is valid text.
    fileprivate var text: String {
        guard let text = try? UTF8Span(validating: self) else { return "" }
        return String(copying: text)
    }

    /// RFC 3986 §3.1: a letter, then letters, digits, plus, hyphen and dot.
    fileprivate var isScheme: Bool {
        guard count > 0, self[0].isLetter else { return false }
        for index in indices where !self[index].isSchemeByte { return false }
        return true
    }
}

extension UInt8 {
    fileprivate var isSchemeByte: Bool {
        isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }

    /// Letters, digits, hyphen, dot, and the underscore that real names have. Other registered names of RFC 3986 are
    /// refused: a name that is not a DNS name does not belong in a Host field or a certificate check.
    fileprivate var isNameByte: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
    }
}
