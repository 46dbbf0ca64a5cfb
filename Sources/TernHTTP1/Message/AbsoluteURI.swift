// SPDX-License-Identifier: Apache-2.0

/// What an http or https URI means to a client: whom to ask, and for what (RFC 9110 §4.2).
///
/// Read byte by byte: a combining mark behind a delimiter does not hide it. The fragment stays here (RFC 9110 §4.2.5: it is not
/// sent), and so does userinfo (RFC 9110 §4.2.4: a sender must not).
package struct AbsoluteURI: Sendable, Hashable {
    /// What is wrong with a text, and the part of it that is.
    package enum Refusal: Error {
        case scheme(String)
        case host(String)
        case port(String)
    }

    package let origin: Origin
    package let target: RequestTarget

    package init(_ text: String) throws(Refusal) {
        let text = Substring(text).utf8
        guard let colon = text.firstIndex(of: .colon) else { throw .scheme("") }
        let scheme = try Self.scheme(text[..<colon])
        let rest = text[colon...].dropFirst()
        guard rest.starts(with: [.slash, .slash]) else { throw .host("") }
        let hierarchy = rest.dropFirst(2)
        let authority = hierarchy.prefix { $0 != .slash && $0 != .questionMark && $0 != .hash }
        let hostAndPort = authority.lastIndex(of: .at).map { authority[$0...].dropFirst() } ?? authority
        let (host, port) = try Self.hostAndPort(hostAndPort)
        origin = Origin(scheme: scheme, host: host, port: try Self.port(port) ?? scheme.defaultPort)

        let sent = hierarchy[authority.endIndex...].prefix { $0 != .hash }
        // RFC 9112 §3.2.1: an empty path is sent as "/".
        target = .origin(sent.first == .slash ? String(Substring(sent)) : "/" + String(Substring(sent)))
    }

    private typealias Bytes = Substring.UTF8View

    private static func scheme(_ text: Bytes) throws(Refusal) -> Scheme {
        // Nearly all are spelled like this.
        if text.elementsEqual("https".utf8) { return .https }
        if text.elementsEqual("http".utf8) { return .http }
        switch String(Substring(text)).lowercased() {
        case "http": return .http
        case "https": return .https
        // Before the first colon of "127.0.0.1:8080" stands no scheme at all.
        case let other: throw .scheme(text.isScheme ? other : "")
        }
    }

    private static func hostAndPort(_ text: Bytes) throws(Refusal) -> (host: String, port: Bytes?) {
        if text.first == .leftBracket {
            guard let close = text.firstIndex(of: .rightBracket) else { throw refusal(text) }
            let literal = text[..<close].dropFirst()
            guard literal.allSatisfy(\.isAddressByte), literal.contains(.colon) else { throw refusal(text) }
            let after = text[close...].dropFirst()
            guard after.isEmpty || after.first == .colon else { throw refusal(text) }
            return (String(Substring(literal)), after.isEmpty ? nil : after.dropFirst())
        }
        let host = text.prefix { $0 != .colon }
        // 253 bytes are a whole DNS name (RFC 1035 §2.3.4), and one more its trailing dot.
        guard !host.isEmpty, host.count <= 254, host.allSatisfy(\.isNameByte) else { throw refusal(host) }
        return (String(Substring(host)), host.endIndex == text.endIndex ? nil : text[host.endIndex...].dropFirst())
    }

    private static func refusal(_ host: Bytes) -> Refusal { .host(String(Substring(host))) }

    /// An empty port is the default one (RFC 3986 §3.2.3).
    private static func port(_ text: Bytes?) throws(Refusal) -> UInt16? {
        guard let text, !text.isEmpty else { return nil }
        var port: UInt16 = 0
        for byte in text {
            let (tens, isTooLong) = port.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(UInt16(byte &- .zero))
            guard byte.isDigit, !isTooLong, !isTooLarge else { throw .port(String(Substring(text))) }
            port = sum
        }
        guard port > 0 else { throw .port(String(Substring(text))) }
        return port
    }
}

extension Substring.UTF8View {
    /// RFC 3986 §3.1: a letter, then letters, digits, plus, hyphen and dot.
    fileprivate var isScheme: Bool {
        first?.isLetter ?? false
            && allSatisfy {
                $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: ".")
            }
    }
}

extension UInt8 {
    /// Letters, digits, hyphen, dot, and the underscore that real names carry. Of RFC 3986's registered names no more: what does
    /// not fit a DNS name has no business in a Host field or a certificate check.
    fileprivate var isNameByte: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
    }
}
