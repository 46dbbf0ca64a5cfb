// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Where a request goes: what an http or https URL means to this client (RFC 9110 §4.2).
struct Destination: Sendable, Hashable {
    let origin: Origin
    let target: RequestTarget

    /// Reads an absolute URL, byte by byte: a combining mark behind a delimiter does not hide it. The fragment stays here
    /// (RFC 9110 §4.2.5: it is not sent), and so does userinfo (RFC 9110 §4.2.4: a sender must not).
    init(absoluteString: String) throws(InvalidRequest) {
        let text = Substring(absoluteString).utf8
        guard let colon = text.firstIndex(of: .colon) else { throw .unsupportedScheme("") }
        let scheme = try Self.scheme(text[..<colon])
        let rest = text[colon...].dropFirst()
        guard rest.starts(with: [.slash, .slash]) else { throw .invalidHost("") }
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

    private static func scheme(_ text: Bytes) throws(InvalidRequest) -> Scheme {
        // Nearly all are spelled like this.
        if text.elementsEqual("https".utf8) { return .https }
        if text.elementsEqual("http".utf8) { return .http }
        switch String(Substring(text)).lowercased() {
        case "http": return .http
        case "https": return .https
        // Before the first colon of "127.0.0.1:8080" stands no scheme at all.
        case let other: throw .unsupportedScheme(text.isScheme ? other : "")
        }
    }

    private static func hostAndPort(_ text: Bytes) throws(InvalidRequest) -> (host: String, port: Bytes?) {
        if text.first == .leftBracket {
            guard let close = text.firstIndex(of: .rightBracket) else { throw invalidHost(text) }
            let literal = text[..<close].dropFirst()
            guard literal.allSatisfy(\.isAddressByte), literal.contains(.colon) else { throw invalidHost(text) }
            let after = text[close...].dropFirst()
            guard after.isEmpty || after.first == .colon else { throw invalidHost(text) }
            return (lowercased(literal), after.isEmpty ? nil : after.dropFirst())
        }
        let host = text.prefix { $0 != .colon }
        // 253 bytes are a whole DNS name (RFC 1035 §2.3.4), and one more its trailing dot.
        guard !host.isEmpty, host.count <= 254, host.allSatisfy(\.isNameByte) else { throw invalidHost(host) }
        return (lowercased(host), host.endIndex == text.endIndex ? nil : text[host.endIndex...].dropFirst())
    }

    private static func invalidHost(_ text: Bytes) -> InvalidRequest { .invalidHost(String(Substring(text))) }

    private static func lowercased(_ text: Bytes) -> String {
        let string = String(Substring(text))
        return text.contains(where: \.isUppercase) ? string.lowercased() : string
    }

    /// An empty port is the default one (RFC 3986 §3.2.3).
    private static func port(_ text: Bytes?) throws(InvalidRequest) -> UInt16? {
        guard let text, !text.isEmpty else { return nil }
        var port: UInt16 = 0
        for byte in text {
            let (tens, isTooLong) = port.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = tens.addingReportingOverflow(UInt16(byte &- .zero))
            guard byte.isDigit, !isTooLong, !isTooLarge else { throw .invalidPort(String(Substring(text))) }
            port = sum
        }
        guard port > 0 else { throw .invalidPort(String(Substring(text))) }
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
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let questionMark = UInt8(ascii: "?")
    fileprivate static let hash = UInt8(ascii: "#")
    fileprivate static let at = UInt8(ascii: "@")
    fileprivate static let leftBracket = UInt8(ascii: "[")
    fileprivate static let rightBracket = UInt8(ascii: "]")
    fileprivate static let zero = UInt8(ascii: "0")

    fileprivate var isDigit: Bool { self >= .zero && self <= UInt8(ascii: "9") }

    fileprivate var isLetter: Bool { lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z") }

    fileprivate var isUppercase: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }

    private var lower: UInt8 { self | 0x20 }

    /// Letters, digits, hyphen, dot, and the underscore that real names carry. No percent: what does not fit a DNS name
    /// has no business in a Host field or a certificate check.
    fileprivate var isNameByte: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
    }

    /// What an IPv6 literal is made of; no zone, which names an interface of this machine.
    fileprivate var isAddressByte: Bool {
        isDigit || (lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f")) || self == .colon
            || self == UInt8(ascii: ".")
    }
}
