// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Which requests of a session send stored cookies, and which responses' cookies are stored. ``Cookies`` acts on it;
/// whatever describes or predicts a request asks it.
package struct CookieUse: Sendable {
    private let storage: HTTPCookieStorage?
    /// Whether the session sends stored cookies at all.
    let sends: Bool
    /// Whether the session stores cookies at all.
    let stores: Bool

    package init(of configuration: SessionConfiguration) {
        storage = configuration.httpCookieStorage
        sends = storage != nil && configuration.httpShouldSetCookies
        stores = storage != nil && configuration.httpCookieAcceptPolicy != .never
    }

    /// The stored cookies that the request sends.
    package func cookies(for request: URLRequest) -> [HTTPCookie] {
        storage(forSending: request)?.cookies(for: request) ?? []
    }

    /// The storage whose cookies the request sends; nil if it sends none.
    func storage(forSending request: URLRequest) -> HTTPCookieStorage? {
        sends && request.httpShouldHandleCookies ? storage : nil
    }

    /// The storage for the cookies of responses to the request; nil if none are stored.
    func storage(forResponsesTo request: URLRequest) -> HTTPCookieStorage? {
        stores && request.httpShouldHandleCookies ? storage : nil
    }

    /// Whether a redirect with this head may make the next request another one: by a cookie that is stored, and sent.
    func changesNextRequest(_ head: ResponseHead, after request: URLRequest) -> Bool {
        guard head.contains("Set-Cookie"), storage(forSending: request) != nil else { return false }
        return storage(forResponsesTo: request).map { $0.cookieAcceptPolicy != .never } ?? false
    }
}
