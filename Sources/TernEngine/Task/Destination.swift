// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Where a request goes: what an http or https URL means to this client (RFC 9110 §4.2).
struct Destination: Sendable, Hashable {
    let origin: Origin
    let target: RequestTarget

    /// Reads an absolute URL. The fragment stays here (RFC 9110 §4.2.5: it is not sent), and so does userinfo
    /// (RFC 9110 §4.2.4: a sender must not).
    init(absoluteString: String) throws(InvalidRequest) {
        let text = Substring(absoluteString)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .unsupportedScheme("") }
        let scheme = try Self.scheme(text[..<colon])
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw .invalidHost("") }
        let hierarchy = rest.dropFirst(2)
        let authorityEnd = hierarchy.utf8.firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        let authority = hierarchy[..<(authorityEnd ?? hierarchy.endIndex)]
        let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let (host, port) = try Self.hostAndPort(hostAndPort)
        origin = Origin(scheme: scheme, host: host, port: try Self.port(port) ?? scheme.defaultPort)

        let path = hierarchy[authority.endIndex...]
        let sent = path[..<(path.utf8.firstIndex(of: UInt8(ascii: "#")) ?? path.endIndex)]
        // RFC 9112 §3.2.1: an empty path is sent as "/".
        target = .origin(sent.hasPrefix("/") ? String(sent) : "/" + sent)
    }

    private static func scheme(_ text: Substring) throws(InvalidRequest) -> Scheme {
        switch text.lowercased() {
        case "http": .http
        case "https": .https
        default: throw .unsupportedScheme(String(text))
        }
    }

    private static func hostAndPort(_ text: Substring) throws(InvalidRequest) -> (host: String, port: Substring?) {
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { throw .invalidHost(String(text)) }
            let literal = text[text.index(after: text.startIndex)..<close]
            let isAddress = literal.utf8.allSatisfy {
                isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
            guard isAddress, literal.contains(":") else { throw .invalidHost(String(text)) }
            let after = text[text.index(after: close)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw .invalidHost(String(text)) }
            return (literal.lowercased(), after.isEmpty ? nil : after.dropFirst())
        }
        let colon = text.firstIndex(of: ":")
        let host = text[..<(colon ?? text.endIndex)]
        guard !host.isEmpty, host.utf8.count <= 253 + 1, host.utf8.allSatisfy(isNameByte) else {
            throw .invalidHost(String(host))
        }
        return (host.lowercased(), colon.map { text[text.index(after: $0)...] })
    }

    /// An empty port is the default one (RFC 3986 §3.2.3).
    private static func port(_ text: Substring?) throws(InvalidRequest) -> UInt16? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }), let port = UInt16(text),
            port > 0
        else { throw .invalidPort(String(text)) }
        return port
    }

    /// Letters, digits, hyphen, dot, and the underscore that real names carry. No percent: what does not fit a DNS name
    /// has no business in a Host field or a certificate check.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
