// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO

/// A URL as far as cookies go by it: those that a response from there sets, and those that a request there takes along.
struct CookieOrigin: Sendable, Equatable {
    /// In lower case, without brackets.
    let host: String
    /// Without the query.
    let path: Substring
    let isSecure: Bool
    let isAddress: Bool

    init(_ destination: Destination) {
        host = destination.origin.host
        isSecure = destination.origin.scheme == .https
        isAddress = IPAddress(literal: host) != nil
        path = if case .origin(let target) = destination.target { target.prefix { $0 != "?" } } else { "/" }
    }

    /// A host and a path alone.
    init(host: String, path: String) {
        (self.host, self.path, isSecure, isAddress) = (host, path[...], false, IPAddress(literal: host) != nil)
    }

    /// Nil for a URL that is none of http or https.
    init?(_ url: URL) {
        guard let destination = try? Destination(absoluteString: url.absoluteString) else { return nil }
        self.init(destination)
    }

    /// Whether the host is `domain`, which has no dot at its beginning, or lies beneath it (RFC 6265bis §5.1.3).
    func isWithin(domain: String) -> Bool {
        if host == domain { return true }
        let rest = host.utf8.count - domain.utf8.count
        return rest > 1 && !isAddress && host.utf8.reversed().starts(with: domain.utf8.reversed())
            && host.utf8[host.utf8.index(host.utf8.startIndex, offsetBy: rest - 1)] == UInt8(ascii: ".")
    }

    /// Whether the path is `prefix` or lies beneath it (RFC 6265bis §5.1.4).
    func isWithin(path prefix: String) -> Bool {
        guard path.utf8.starts(with: prefix.utf8) else { return false }
        return path.utf8.count == prefix.utf8.count || prefix.last == "/"
            || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }

    /// The path of a cookie that names none: up to the last slash.
    var defaultPath: String {
        guard path.first == "/", let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
