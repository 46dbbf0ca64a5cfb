// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernSystem
import TernTLS

/// A cookie, with the names of Foundation's `HTTPCookie` (RFC 6265bis). A value that does not change.
///
/// Name, value and path are bytes, which go back as they came (RFC 9110 §5.5). The properties are their text: UTF-8 where
/// the bytes are UTF-8, else ISO-8859-1. A cookie that is made of texts has their bytes in UTF-8.
public struct HTTPCookie: Sendable, Hashable {
    /// What a server said about requests that another site causes: stored, not enforced, because every request is
    /// first-party.
    public enum SameSitePolicy: String, Sendable {
        /// `SameSite=Strict`
        case strict
        /// `SameSite=Lax`
        case lax
        /// `SameSite=None`, which servers may say of `Secure` cookies only.
        case none
    }

    /// From which responses a storage takes cookies.
    public enum AcceptPolicy: UInt, Sendable {
        /// From all.
        case always
        /// From none.
        case never
        /// From URLs on the site of the document that causes the request. Requests name no such document, so from all
        /// responses; ``HTTPCookieStorage/setCookies(_:for:mainDocumentURL:)`` compares the two.
        case onlyFromMainDocumentDomain
    }

    /// What is opaque of a cookie.
    struct Bytes: Sendable, Hashable {
        let name: FieldValue
        let value: FieldValue
        let path: FieldValue
    }

    let bytes: Bytes
    /// The name; empty for a cookie that has none.
    public var name: String { bytes.name.text }
    /// The value as the server wrote it, quotation marks included.
    public var value: String { bytes.value.text }
    /// The host that the cookie is for; with a dot at its beginning where it is for all hosts of that domain.
    public let domain: String
    /// The prefix of the paths that the cookie is for: `/` for all.
    public var path: String { bytes.path.text }
    /// When the cookie ends; nil for one that ends with its session.
    public let expiresDate: Date?
    /// Whether the cookie is sent over TLS only, or to this machine itself.
    public let isSecure: Bool
    /// Whether the server wants to keep the cookie from scripts.
    public let isHTTPOnly: Bool
    /// What the server said about requests of other sites; nil if it said nothing.
    public let sameSitePolicy: SameSitePolicy?

    /// Whether the cookie ends with its session.
    public var isSessionOnly: Bool { expiresDate == nil }

    /// Creates a cookie as a program wants it.
    ///
    /// - Parameters:
    ///   - name: without control characters, `=` and `;`.
    ///   - value: without control characters and `;`.
    ///   - domain: a host, or a domain with a dot at its beginning. A final dot is removed.
    ///   - path: begins with `/`.
    ///   - expiresDate: the end of the cookie; nil for the end of its session.
    ///   - isSecure: whether the cookie is sent over TLS only.
    ///   - isHTTPOnly: whether scripts should not read the cookie.
    ///   - sameSitePolicy: the rule for requests of other sites; nil for none.
    /// - Returns: nil if a part has a character that it must not have, name and value have more than 4096 bytes, a
    ///   prefix such as `__Host-` promises what the cookie does not keep, or `SameSite=None` stands without `Secure`.
    public init?(
        name: String, value: String, domain: String, path: String = "/", expiresDate: Date? = nil,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSitePolicy: SameSitePolicy? = nil
    ) {
        self.init(
            Bytes(name: FieldValue(name), value: FieldValue(value), path: FieldValue(path)), domain: domain,
            expiresDate: expiresDate, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSitePolicy: sameSitePolicy)
    }

    /// The same of bytes.
    init?(
        _ bytes: Bytes, domain: String, expiresDate: Date?, isSecure: Bool, isHTTPOnly: Bool,
        sameSitePolicy: SameSitePolicy? = nil
    ) {
        let isHostOnly = domain.utf8.first != UInt8(ascii: ".")
        let name = isHostOnly ? domain : String(domain.dropFirst())
        let host = HostName.canonical(InternationalizedNames.inDNS(name))
        self.bytes = bytes
        self.domain = isHostOnly ? host : "." + host
        (self.expiresDate, self.isSecure, self.isHTTPOnly) = (expiresDate, isSecure, isHTTPOnly)
        self.sameSitePolicy = sameSitePolicy
        guard isWellFormed, keepsPromises else { return nil }
    }

    /// Creates the cookie that a `Set-Cookie` field of a response sets; nil if the field is to be ignored (RFC 6265bis
    /// §5.7).
    init?(_ field: SetCookie, from origin: CookieOrigin, now: Date) {
        let host = origin.host
        var domain = host
        if let named = field.domain.map(InternationalizedNames.inDNS), named != host || !PublicSuffixes.contains(named)
        {
            guard named.utf8.allSatisfy({ $0 < 0x80 }), origin.isWithin(domain: named), !PublicSuffixes.contains(named)
            else { return nil }
            // An address has no hosts beneath it.
            domain = origin.isAddress ? named : "." + named
        }
        guard origin.isSecure || !field.isSecure else { return nil }
        let path = field.path ?? FieldValue(origin.defaultPath)
        self.init(
            Bytes(name: field.name, value: field.value, path: path), domain: domain,
            expiresDate: Self.end(of: field, now), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
            sameSitePolicy: field.sameSite)
        guard hasHostPrefix.map({ !$0 || field.domain == nil && field.path?.text == "/" }) ?? true else { return nil }
    }

    /// The same cookie with another end.
    init(_ other: HTTPCookie, expiresDate: Date?) {
        (bytes, domain) = (other.bytes, other.domain)
        (isSecure, isHTTPOnly, sameSitePolicy) = (other.isSecure, other.isHTTPOnly, other.sameSitePolicy)
        self.expiresDate = expiresDate
    }

    /// The date in a text, in any of the forms that servers write (RFC 6265bis §5.1.1); nil if there is none.
    package static func date(from text: String) -> Date? {
        CookieDate.seconds(text).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// The latest end of a cookie: in 400 days (RFC 6265bis §5.5).
    static let maximumAge: Int64 = 400 * 86400

    private static func end(of field: SetCookie, _ now: Date) -> Date? {
        let left = field.maximumAge ?? field.expires.map { $0 - Int64(now.timeIntervalSince1970) }
        guard let left else { return nil }
        return left <= 0 ? .distantPast : now.addingTimeInterval(Double(min(left, maximumAge)))
    }
}

// The rules
extension HTTPCookie {
    /// A storage has one cookie of each identity. Names and paths are compared as bytes.
    struct Identity: Hashable {
        let name: FieldValue
        let domain: String
        let path: FieldValue
    }

    var identity: Identity { Identity(name: bytes.name, domain: domain, path: bytes.path) }

    /// Whether the cookie is for one host, and not for those beneath it.
    var isHostOnly: Bool { domain.first != "." }

    /// The domain without the dot at its beginning.
    var host: String { isHostOnly ? domain : String(domain.dropFirst()) }

    /// ASCII is the same in the texts as in the bytes.
    private var isWellFormed: Bool {
        let isText = { (byte: UInt8) in byte >= 0x20 && byte != 0x7F && byte != 0x3B || byte == 0x09 }
        let (name, path, size) = (bytes.name.text.utf8, bytes.path.text.utf8, bytes.name.count + bytes.value.count)
        return size > 0 && size <= SetCookie.maximumSize && path.first == UInt8(ascii: "/")
            && name.allSatisfy { isText($0) && $0 != 0x3D } && bytes.value.text.utf8.allSatisfy(isText)
            && path.allSatisfy(isText) && domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && isText($0) }
            && !host.isEmpty && host.utf8.last != UInt8(ascii: ".")
    }

    /// Whether the name begins with `__Host-`; nil if it has no prefix that promises something (RFC 6265bis §4.1.3).
    private var hasHostPrefix: Bool? {
        let text = (bytes.name.count == 0 ? bytes.value : bytes.name).text.utf8
        if text.hasPrefix(of: "__host-") { return true }
        return text.hasPrefix(of: "__secure-") ? false : nil
    }

    private var keepsPromises: Bool {
        if sameSitePolicy == SameSitePolicy.none, !isSecure { return false }
        guard let hasHostPrefix else { return true }
        return bytes.name.count > 0 && isSecure && (!hasHostPrefix || isHostOnly && bytes.path.text == "/")
    }

    /// Whether the cookie has ended.
    func hasEnded(by now: Date) -> Bool { expiresDate.map { $0 <= now } ?? false }

    /// What is sent of it.
    var pair: [UInt8] { bytes.name.count == 0 ? bytes.value.bytes : bytes.name.bytes + [0x3D] + bytes.value.bytes }

    /// The number of bytes of `pair`.
    var pairSize: Int { bytes.name.count + bytes.value.count + (bytes.name.count == 0 ? 0 : 1) }
}

extension String.UTF8View {
    /// Whether the bytes begin with this word of ASCII, which is in lower case; the case of ASCII letters is ignored.
    fileprivate func hasPrefix(of word: String) -> Bool { starts(with: word.utf8) { $0.lowercasedLetter == $1 } }
}

extension HTTPCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie without its value, which may be a secret.
    public var description: String { "\(name) for \(domain)\(path)" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
