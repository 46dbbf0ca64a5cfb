// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

/// A key of ``TernEngine/HTTPCookie/properties``, with Foundation's names and values.
public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// A key with this text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A key with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name of the cookie: required.
    public static let name = HTTPCookiePropertyKey("Name")
    /// The value of the cookie: required.
    public static let value = HTTPCookiePropertyKey("Value")
    /// The host, or with a dot at its beginning the domain; required unless there is an ``originURL``.
    public static let domain = HTTPCookiePropertyKey("Domain")
    /// The URL whose host the cookie is for, where ``domain`` is missing.
    public static let originURL = HTTPCookiePropertyKey("OriginURL")
    /// The path: required, unless there is an ``originURL``.
    public static let path = HTTPCookiePropertyKey("Path")
    /// The end of the cookie, as a date or a text.
    public static let expires = HTTPCookiePropertyKey("Expires")
    /// The seconds from now to the end of the cookie, as a text; comes before ``expires``.
    public static let maximumAge = HTTPCookiePropertyKey("Max-Age")
    /// "TRUE" for a cookie that is sent over TLS only.
    public static let secure = HTTPCookiePropertyKey("Secure")
    /// "TRUE" for a cookie that ends with its session, whatever its end says.
    public static let discard = HTTPCookiePropertyKey("Discard")
    /// "strict", "lax" or "none".
    public static let sameSitePolicy = HTTPCookiePropertyKey("SameSite")
    /// "0" or "1"; kept in memory, without effect.
    public static let version = HTTPCookiePropertyKey("Version")
    /// A text; kept likewise.
    public static let comment = HTTPCookiePropertyKey("Comment")
    /// A URL, or its text; kept likewise.
    public static let commentURL = HTTPCookiePropertyKey("CommentURL")
    /// Numbers with commas between them; kept likewise.
    public static let port = HTTPCookiePropertyKey("Port")
}

extension HTTPCookie {
    /// Creates a cookie from properties as Foundation names them; nil if a required one is missing or a part is not
    /// allowed.
    public init?(properties: [HTTPCookiePropertyKey: Any]) {
        let text = { (key: HTTPCookiePropertyKey) -> String? in properties[key].map { String(describingValue: $0) } }
        let url = (properties[.originURL] as? URL) ?? text(.originURL).flatMap(URL.init(escaping:))
        guard let name = text(.name), let value = text(.value), let domain = text(.domain) ?? url?.host,
            let path = text(.path) ?? url.map({ _ in "/" })
        else { return nil }
        self.init(
            name: name, value: value, domain: domain, path: path, expiresDate: Self.end(properties),
            isSecure: Self.isSet(properties[.secure]),
            isHTTPOnly: Self.isSet(properties[HTTPCookiePropertyKey("HttpOnly")]),
            sameSitePolicy: text(.sameSitePolicy).flatMap { SameSitePolicy(rawValue: $0.lowercased()) })
        notes = CookieNotes(properties)
    }

    /// The properties that make an equal cookie, if its name, value and path are UTF-8.
    public var properties: [HTTPCookiePropertyKey: Any]? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: domain, .path: path, .version: version,
        ]
        properties[.comment] = comment
        properties[.commentURL] = commentURL
        properties[.port] = portList
        properties[.expires] = expiresDate
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        if isSessionOnly { properties[.discard] = "TRUE" }
        properties[.sameSitePolicy] = sameSitePolicy?.rawValue
        return properties
    }

    /// 1 if the properties or the server say so. Without effect: RFC 6265 has no versions. A file of cookies does not keep
    /// it, nor the comments and the ports.
    public var version: Int { notes?.version ?? 0 }

    /// What the properties or the server say, without quotation marks around it. Without effect.
    public var comment: String? { notes?.comment }

    /// What the properties or the server say. Without effect.
    public var commentURL: URL? { notes?.commentURL }

    /// What the properties or the server say, of a server in cookies of version 1 alone. Without effect: cookies are for
    /// all ports.
    public var portList: [NSNumber]? { notes?.ports?.map { NSNumber(value: $0) } }

    private static func end(_ properties: [HTTPCookiePropertyKey: Any]) -> Date? {
        if isSet(properties[.discard]) { return nil }
        if let age = properties[.maximumAge].flatMap({ Double(String(describingValue: $0)) }), age.isFinite {
            return age > 0 ? Date(timeIntervalSinceNow: age) : .distantPast
        }
        if let date = properties[.expires] as? Date { return date }
        let text = properties[.expires] as? String
        return text.flatMap { date(from: $0) }
    }

    private static func isSet(_ value: Any?) -> Bool {
        switch value {
        case let flag as Bool: flag
        case let text as String: ["TRUE", "YES", "1"].contains(text.uppercased())
        default: false
        }
    }
}

extension CookieNotes {
    /// Nil for those of usual cookies.
    fileprivate convenience init?(_ properties: [HTTPCookiePropertyKey: Any]) {
        let url = properties[.commentURL]
        let commentURL = url as? URL ?? (url as? String).flatMap { URL(string: $0) }
        let comment = properties[.comment] as? String
        let version = properties[.version].map { String(describingValue: $0) } == "1" ? 1 : 0
        let listed = (properties[.port] as? [NSNumber])?.map { "\($0.intValue)" }.joined(separator: ",")
        let ports = (listed ?? properties[.port] as? String).flatMap(Self.ports(in:))
        if version == 0, comment == nil, commentURL == nil, ports == nil { return nil }
        self.init(version: version, comment: comment, commentURL: commentURL, ports: ports)
    }
}

extension HTTPCookieStorage: CustomStringConvertible {
    /// As Foundation describes a storage.
    public var description: String { "<NSHTTPCookieStorage cookies count:\(cookies?.count ?? 0)>" }
}

extension HTTPCookieStorage {
    /// Stores cookies that the response to a task has set.
    public func storeCookies(_ cookies: [HTTPCookie], for task: SessionTask) {
        setCookies(cookies, for: task.currentRequest?.url, mainDocumentURL: nil)
    }

    /// Calls `completionHandler`, before it returns, with the cookies that a task's request takes along.
    public func getCookiesFor(_ task: SessionTask, completionHandler: ([HTTPCookie]?) -> Void) {
        completionHandler(task.currentRequest.flatMap { cookies(for: $0) })
    }
}

extension HTTPCookieStorage {
    /// Another storage for each identifier, and the same for the same one; in memory, because programs share no groups here.
    public static func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
        shared(byGroup: identifier)
    }

    /// All cookies, sorted.
    public func sortedCookies(using sortOrder: [NSSortDescriptor]) -> [HTTPCookie] {
        (cookies ?? []).sorted { left, right in
            for descriptor in sortOrder {
                let order = descriptor.compare(left, to: right)
                if order != .orderedSame { return order == .orderedAscending }
            }
            return false
        }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NSNotification.Name {
    /// Never posted, as in URLSession on Linux.
    public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name(
        "NSHTTPCookieManagerCookiesChangedNotification")
    /// Never posted, likewise.
    public static let NSHTTPCookieManagerAcceptPolicyChanged = NSNotification.Name(
        "NSHTTPCookieManagerAcceptPolicyChangedNotification")
}
