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

    /// What tells cookies apart: a storage has one of each identity. Names and paths are compared as bytes.
    struct Identity: Sendable, Hashable {
        let name: FieldValue
        let domain: String
        let path: FieldValue

        init(name: FieldValue, domain: String, path: FieldValue) {
            let isHostOnly = domain.utf8.first != UInt8(ascii: ".")
            let host = HostName.canonical(
                InternationalizedNames.inDNS(isHostOnly ? domain : String(domain.dropFirst())))
            (self.name, self.domain, self.path) = (name, isHostOnly ? host : "." + host, path)
        }
    }

    let identity: Identity
    let valueBytes: FieldValue
    /// The name; empty for a cookie that has none.
    public var name: String { identity.name.text }
    /// The value as the server wrote it, quotation marks included.
    public var value: String { valueBytes.text }
    /// The host that the cookie is for; with a dot at its beginning where it is for all hosts of that domain.
    public var domain: String { identity.domain }
    /// The prefix of the paths that the cookie is for: `/` for all.
    public var path: String { identity.path.text }
    /// When the cookie ends; nil for one that ends with its session.
    public private(set) var expiresDate: Date?
    /// Whether the cookie is sent over TLS only, or to this machine itself.
    public let isSecure: Bool
    /// Whether the server wants to keep the cookie from scripts.
    public let isHTTPOnly: Bool
    /// What the server said about requests of other sites; nil if it said nothing.
    public let sameSitePolicy: SameSitePolicy?
    /// What the program or the server notes about the cookie, in memory; no server is told.
    package var notes: CookieNotes?

    /// Whether the cookie ends with its session.
    public var isSessionOnly: Bool { expiresDate == nil }

    /// Creates a cookie as a program wants it.
    ///
    /// - Parameters:
    ///   - name: without control characters, `=` and `;`.
    ///   - value: without control characters and `;`.
    ///   - domain: a host, or a domain with a dot at its beginning. A final dot is removed. A dot alone is the domain of
    ///     no host.
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
            Identity(name: FieldValue(name), domain: domain, path: FieldValue(path)), value: FieldValue(value),
            expiresDate: expiresDate, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSitePolicy: sameSitePolicy)
    }

    /// The same of bytes.
    init?(
        _ identity: Identity, value: FieldValue, expiresDate: Date?, isSecure: Bool, isHTTPOnly: Bool,
        sameSitePolicy: SameSitePolicy? = nil
    ) {
        (self.identity, valueBytes) = (identity, value)
        (self.expiresDate, self.isSecure, self.isHTTPOnly) = (expiresDate, isSecure, isHTTPOnly)
        self.sameSitePolicy = sameSitePolicy
        guard isWellFormed, keepsPromises else { return nil }
    }

    /// The same cookie with another end.
    init(_ other: HTTPCookie, expiresDate: Date?) {
        self = other
        self.expiresDate = expiresDate
    }

    /// The date in a text, in any of the forms that servers write (RFC 6265bis §5.1.1); nil if there is none.
    package static func date(from text: String) -> Date? {
        CookieDate.seconds(text).map { Date(timeIntervalSince1970: Double($0)) }
    }
}

/// Attributes of RFC 2965, which RFC 6265 has done away with. Boxed, because hardly a cookie has them.
package final class CookieNotes: Sendable, Hashable {
    package let version: Int
    package let comment: String?
    package let commentURL: URL?
    package let ports: [Int]?

    package init(version: Int, comment: String?, commentURL: URL?, ports: [Int]?) {
        (self.version, self.comment, self.commentURL, self.ports) = (version, comment, commentURL, ports)
    }

    /// The attributes of a `Set-Cookie` field.
    enum Attribute: String, CaseIterable {
        case version, comment, commenturl, port
    }

    /// The same notes with the value of an attribute, without the quotation marks around it.
    convenience init(_ other: CookieNotes?, _ attribute: Attribute, _ value: String) {
        let isQuoted = value.utf8.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
        let text = isQuoted ? String(value.dropFirst().dropLast()) : value
        self.init(
            version: attribute == .version ? (text == "1" ? 1 : 0) : other?.version ?? 0,
            comment: attribute == .comment ? text : other?.comment,
            commentURL: attribute == .commenturl ? URL(string: text) : other?.commentURL,
            ports: attribute == .port ? Self.ports(in: text) : other?.ports)
    }

    /// Nil if nothing is noted. Ports are of version 1 alone, as in Foundation (RFC 2965 §3.2.2).
    var received: CookieNotes? {
        if version == 0, comment == nil, commentURL == nil { return nil }
        return version == 1 || ports == nil
            ? self : CookieNotes(version: version, comment: comment, commentURL: commentURL, ports: nil)
    }

    /// The ports of a list with commas between them, without what is no port; nil if it has none, or too many.
    package static func ports(in list: String) -> [Int]? {
        var ports: [Int] = []
        let isWhole = ListRules.tokens.read([Array(list.utf8)]) { element in
            let digits = String(decoding: element.indices.map { element[$0] }, as: UTF8.self)
            if let port = Int(digits), (0...65535).contains(port) { ports.append(port) }
        }
        return isWhole && !ports.isEmpty ? ports : nil
    }

    package static func == (left: CookieNotes, right: CookieNotes) -> Bool {
        left.version == right.version && left.comment == right.comment && left.commentURL == right.commentURL
            && left.ports == right.ports
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(comment) }
}

extension HTTPCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie without its value, which may be a secret.
    public var description: String { "\(name) for \(domain)\(path)" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}
