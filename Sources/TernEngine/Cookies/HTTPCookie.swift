// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A cookie, with the names of Foundation's `HTTPCookie` (RFC 6265bis). A value that does not change.
public struct HTTPCookie: Sendable, Hashable {
    /// What a server said about requests that another site causes. Tern stores it and sends the cookie: a client that
    /// is no browser causes all of its requests itself.
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

    /// The name; empty for a cookie that has none.
    public let name: String
    /// The value as the server wrote it, quotation marks included.
    public let value: String
    /// The host that the cookie is for; with a dot at its beginning where it is for all hosts of that domain.
    public let domain: String
    /// The prefix of the paths that the cookie is for: `/` for all.
    public let path: String
    /// When the cookie ends; nil for one that ends with its session.
    public let expiresDate: Date?
    /// Whether the cookie is sent over TLS only.
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
    ///   - domain: a host, or a domain with a dot at its beginning.
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
        (self.name, self.value, self.domain, self.path) = (name, value, domain.lowercased(), path)
        (self.expiresDate, self.isSecure, self.isHTTPOnly) = (expiresDate, isSecure, isHTTPOnly)
        self.sameSitePolicy = sameSitePolicy
        guard isWellFormed, keepsPromises else { return nil }
    }

    /// Creates the cookie that a `Set-Cookie` field of a response sets; nil if the field is to be ignored (RFC 6265bis
    /// §5.7).
    init?(_ field: SetCookie, from origin: CookieOrigin, now: Date) {
        let host = origin.host
        var domain = host
        if let named = field.domain, named != host || !PublicSuffixes.contains(named) {
            guard named.utf8.allSatisfy({ $0 < 0x80 }), origin.isWithin(domain: named), !PublicSuffixes.contains(named)
            else { return nil }
            // An address has no hosts beneath it.
            domain = origin.isAddress ? named : "." + named
        }
        guard origin.isSecure || !field.isSecure else { return nil }
        self.init(
            name: field.name, value: field.value, domain: domain, path: field.path ?? origin.defaultPath,
            expiresDate: Self.end(of: field, now), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
            sameSitePolicy: field.sameSite)
        guard hasHostPrefix.map({ !$0 || field.domain == nil && field.path == "/" }) ?? true else { return nil }
    }

    /// The same cookie with another end.
    init(_ other: HTTPCookie, expiresDate: Date?) {
        (name, value, domain, path) = (other.name, other.value, other.domain, other.path)
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
    /// A storage has one cookie of each identity.
    struct Identity: Hashable {
        let name: String
        let domain: String
        let path: String
    }

    var identity: Identity { Identity(name: name, domain: domain, path: path) }

    /// Whether the cookie is for one host, and not for those beneath it.
    var isHostOnly: Bool { domain.first != "." }

    /// The domain without the dot at its beginning.
    var host: String { isHostOnly ? domain : String(domain.dropFirst()) }

    private var isWellFormed: Bool {
        let isText = { (byte: UInt8) in byte >= 0x20 && byte != 0x7F && byte != 0x3B || byte == 0x09 }
        let size = name.utf8.count + value.utf8.count
        return size > 0 && size <= SetCookie.maximumSize && !host.isEmpty && path.utf8.first == UInt8(ascii: "/")
            && name.utf8.allSatisfy { isText($0) && $0 != 0x3D } && value.utf8.allSatisfy(isText)
            && path.utf8.allSatisfy(isText) && domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && isText($0) }
    }

    /// Whether the name begins with `__Host-`; nil if it has no prefix that promises something (RFC 6265bis §4.1.3).
    private var hasHostPrefix: Bool? {
        let text = (name.isEmpty ? value : name).lowercased()
        if text.hasPrefix("__host-") { return true }
        return text.hasPrefix("__secure-") ? false : nil
    }

    private var keepsPromises: Bool {
        if sameSitePolicy == SameSitePolicy.none, !isSecure { return false }
        guard let hasHostPrefix else { return true }
        return !name.isEmpty && isSecure && (!hasHostPrefix || isHostOnly && path == "/")
    }

    /// Whether the cookie has ended.
    func hasEnded(by now: Date) -> Bool { expiresDate.map { $0 <= now } ?? false }

    /// Whether the cookie goes along with a request to `origin` (RFC 6265bis §5.8.3).
    func isFor(_ origin: CookieOrigin) -> Bool {
        (origin.isSecure || !isSecure) && (isHostOnly ? origin.host == domain : origin.isWithin(domain: host))
            && origin.isWithin(path: path)
    }

    /// What is sent of it.
    var pair: String { name.isEmpty ? value : name + "=" + value }
}

extension HTTPCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie without its value, which may be a secret.
    public var description: String { "\(name) for \(domain)\(path)" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
