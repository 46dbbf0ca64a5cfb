// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernLock

/// Keeps cookies between requests, with the names of Foundation's `HTTPCookieStorage` and the rules of RFC 6265bis. A
/// session has one if ``SessionConfiguration/httpCookieStorage`` names it; sessions may share one.
///
/// At most 3,000 cookies, and 180 of one site: beyond that those used least recently are removed. Any thread, any time.
public final class HTTPCookieStorage: Sendable {
    /// From which responses cookies are taken.
    public enum AcceptPolicy: UInt, Sendable {
        /// All.
        case always
        /// None.
        case never
        /// Those of a URL on the site of the document that causes the request. Requests name no such document, so all;
        /// ``HTTPCookieStorage/setCookies(_:for:mainDocumentURL:)`` goes by it.
        case onlyFromMainDocumentDomain
    }

    struct State: Sendable {
        var jar = CookieJar()
        var policy = AcceptPolicy.always
    }

    /// The storage of the process, in memory. No session uses it unless its configuration says so.
    public static let shared = HTTPCookieStorage()

    private let state = Lock(State())

    /// An empty storage in memory.
    public init() {}

    /// All cookies, in the order of their creation.
    public var cookies: [HTTPCookie]? { state.withLock { $0.jar.cookies(now: Date()) } }

    /// Whose cookies are taken; those of all URLs at first.
    public var cookieAcceptPolicy: AcceptPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// Stores a cookie, in place of one with the same name, domain and path.
    public func setCookie(_ cookie: HTTPCookie) { state.withLock { $0.jar.set(cookie, now: Date()) } }

    /// Removes the cookie with the same name, domain and path.
    public func deleteCookie(_ cookie: HTTPCookie) { state.withLock { $0.jar.remove(cookie) } }

    /// Removes the cookies that were created at `date` or later.
    public func removeCookies(since date: Date) { state.withLock { $0.jar.removeAll(since: date) } }

    /// The cookies that a request to `url` takes along, in the order in which it does; nil where `url` is none of http
    /// or https.
    public func cookies(for url: URL) -> [HTTPCookie]? {
        guard let origin = CookieOrigin(url) else { return nil }
        return state.withLock { $0.jar.cookies(for: origin, now: Date()) }
    }

    /// Stores cookies that a response from `url` set, as far as the policy says.
    ///
    /// - Parameter mainDocumentURL: the document that caused the request; nil for `url` itself.
    public func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
        guard let url, let origin = CookieOrigin(url) else { return }
        let main = mainDocumentURL.flatMap { CookieOrigin($0) } ?? origin
        let isThirdParty =
            PublicSuffixes.registrableDomain(of: main.host) != PublicSuffixes.registrableDomain(of: origin.host)
        state.withLock { state in
            switch state.policy {
            case .always: break
            case .never: return
            case .onlyFromMainDocumentDomain: if isThirdParty { return }
            }
            for cookie in cookies where cookie.maySet(origin) { state.jar.set(cookie, from: origin, now: Date()) }
        }
    }
}

// On reactors
extension HTTPCookieStorage {
    /// The value of `Cookie` for a request there; nil for none.
    func field(for origin: CookieOrigin) -> String? {
        state.withLock { $0.jar.isEmpty ? nil : $0.jar.field(for: origin, now: Date()) }
    }

    /// Whether there is nothing to send: costs less than to look for it.
    var isEmpty: Bool { state.withLock { $0.jar.isEmpty } }

    /// Stores what the `Set-Cookie` fields of a response from there set.
    func receive(_ fields: [String], from origin: CookieOrigin) {
        let now = Date()
        let cookies = fields.compactMap { SetCookie($0) }.compactMap { HTTPCookie($0, from: origin, now: now) }
        state.withLock { state in
            if state.policy == .never { return }
            for cookie in cookies { state.jar.set(cookie, from: origin, now: now) }
        }
    }
}

extension HTTPCookie {
    /// Whether a response from there may set the cookie.
    fileprivate func maySet(_ origin: CookieOrigin) -> Bool {
        if isSecure, !origin.isSecure { return false }
        return isHostOnly ? origin.host == domain : origin.isWithin(domain: host) && !PublicSuffixes.contains(host)
    }
}

extension HTTPCookie {
    /// The cookies that a response from `url` with these header fields sets. Several in one field, as dictionaries
    /// of header fields join them, are told apart.
    public static func cookies(withResponseHeaderFields headerFields: [String: String], for url: URL) -> [HTTPCookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        let now = Date()
        return headerFields.filter { $0.key.lowercased() == "set-cookie" }.flatMap { SetCookie.split($0.value) }
            .compactMap { SetCookie($0) }.compactMap { HTTPCookie($0, from: origin, now: now) }
    }

    /// The header fields that send these cookies: one `Cookie`, or none.
    public static func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
        cookies.isEmpty ? [:] : ["Cookie": cookies.map(\.pair).joined(separator: "; ")]
    }
}

extension SetCookie {
    /// Takes apart fields that were joined with commas: at those that a name and an equals sign follow. A comma in a
    /// date or a value is followed by something else.
    static func split(_ joined: String) -> [String] {
        var fields: [String] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }.drop { $0 == " " }
            let begins =
                name.endIndex < part.endIndex && part[name.endIndex] == "=" && !name.isEmpty
                && name.allSatisfy { $0 != " " && $0 != "\"" }
            if begins || fields.isEmpty { fields.append(String(part)) } else { fields[fields.count - 1] += "," + part }
        }
        return fields
    }
}
