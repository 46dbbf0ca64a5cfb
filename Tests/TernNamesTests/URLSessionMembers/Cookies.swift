// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernURLSession

// Every member, with the type that FoundationNetworking declares: compiled, not run.

func membersOfHTTPCookie(_ x: HTTPCookie) {
    _ = HTTPCookie.AcceptPolicy.self
    _ = HTTPCookie.AcceptPolicy.always as HTTPCookie.AcceptPolicy
    _ = HTTPCookie.AcceptPolicy.init(rawValue:) as (UInt) -> HTTPCookie.AcceptPolicy?
    _ = HTTPCookie.AcceptPolicy.never as HTTPCookie.AcceptPolicy
    _ = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain as HTTPCookie.AcceptPolicy
    _ = x.comment as String?
    _ = x.commentURL as URL?
    _ = HTTPCookie.cookies(withResponseHeaderFields:for:) as ([String: String], URL) -> [HTTPCookie]
    _ = x.description as String
    _ = x.domain as String
    _ = x.expiresDate as Date?
    _ = HTTPCookie.init(properties:) as ([HTTPCookiePropertyKey: Any]) -> HTTPCookie?
    _ = x.isHTTPOnly as Bool
    _ = x.isSecure as Bool
    _ = x.isSessionOnly as Bool
    _ = x.name as String
    _ = x.path as String
    _ = x.portList as [NSNumber]?
    _ = x.properties as [HTTPCookiePropertyKey: Any]?
    _ = HTTPCookie.requestHeaderFields(with:) as ([HTTPCookie]) -> [String: String]
    _ = x.value as String
    _ = x.version as Int
}

func membersOfHTTPCookiePropertyKey(_ x: HTTPCookiePropertyKey) {
    _ = HTTPCookiePropertyKey.comment as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.commentURL as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.discard as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.domain as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.expires as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.init(_:) as (String) -> HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.init(rawValue:) as (String) -> HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.maximumAge as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.name as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.originURL as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.path as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.port as HTTPCookiePropertyKey
    _ = x.rawValue as String
    _ = HTTPCookiePropertyKey.secure as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.value as HTTPCookiePropertyKey
    _ = HTTPCookiePropertyKey.version as HTTPCookiePropertyKey
}

func membersOfHTTPCookieStorage(_ x: HTTPCookieStorage) {
    change(&x.cookieAcceptPolicy, as: HTTPCookie.AcceptPolicy.self)
    _ = x.cookies as [HTTPCookie]?
    _ = x.cookies(for:) as (URL) -> [HTTPCookie]?
    _ = x.deleteCookie(_:) as (HTTPCookie) -> Void
    _ = x.description as String
    _ = x.removeCookies(since:) as (Date) -> Void
    _ = x.setCookie(_:) as (HTTPCookie) -> Void
    _ = x.setCookies(_:for:mainDocumentURL:) as ([HTTPCookie], URL?, URL?) -> Void
    _ = HTTPCookieStorage.shared as HTTPCookieStorage
    _ = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier:) as (String) -> HTTPCookieStorage
    _ = x.sortedCookies(using:) as ([NSSortDescriptor]) -> [HTTPCookie]
}
