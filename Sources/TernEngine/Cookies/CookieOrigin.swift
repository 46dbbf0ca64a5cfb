// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernSystem
import TernTLS

/// A URL as far as cookies go by it: those that a response from there sets, and those that a request there takes along.
struct CookieOrigin: Sendable, Equatable {
    /// As trust compares hosts: in lower case, without brackets and without a final dot, which would lead around the
    /// public suffixes.
    let host: String
    /// Without the query.
    let path: Substring
    /// Whether `Secure` cookies are set and sent: over TLS, and without it on this machine itself, as curl and browsers
    /// have it (RFC 6265bis §5.8.3 leaves what is secure to the client).
    let isSecure: Bool
    let isAddress: Bool

    /// The one way from a request to the cookies that it takes along, and that its response sets. Nil for a request that
    /// cannot be sent.
    init?(_ request: URLRequest) {
        guard let destination = try? request.destination.get() else { return nil }
        host = HostName.canonical(destination.origin.host)
        isAddress = IPAddress(literal: host) != nil
        isSecure = destination.origin.scheme == .https || Self.isLoopback(host, isAddress: isAddress)
        path = if case .origin(let target) = destination.originForm { target.prefix { $0 != "?" } } else { "/" }
    }

    /// A secure host and the root of its paths.
    init(secureHost: String) {
        (host, path, isSecure) = (HostName.canonical(InternationalizedNames.inDNS(secureHost)), "/", true)
        isAddress = IPAddress(literal: host) != nil
    }

    /// Nil for a URL that is none of http or https.
    init?(_ url: URL) { self.init(URLRequest(url: url)) }

    /// Names beneath `localhost` are never looked up elsewhere (RFC 6761 §6.3).
    private static func isLoopback(_ host: String, isAddress: Bool) -> Bool {
        if isAddress { return host.hasPrefix("127.") || host == "::1" }
        return host == "localhost" || host.hasSuffix(".localhost")
    }

    /// Whether the host is `domain`, which has no dot at its beginning, or lies beneath it (RFC 6265bis §5.1.3).
    func isWithin(domain: String) -> Bool {
        host == domain || !isAddress && Self.isHost(host, beneath: domain)
    }

    /// Whether a host that is no address lies beneath a domain.
    static func isHost(_ host: String, beneath domain: String) -> Bool {
        let rest = host.utf8.count - domain.utf8.count
        guard rest > 1 else { return false }
        let end = host.utf8.dropFirst(rest - 1)
        return end.first == UInt8(ascii: ".") && end.dropFirst().elementsEqual(domain.utf8)
    }

    /// The path of a cookie that names none: up to the last slash.
    var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }
}

/// The path of a request, or of a cookie, that cookies' paths are compared with (RFC 6265bis §5.1.4).
///
/// It has a hash of each of its beginnings: a jar of long paths is searched without a look at their bytes, but for those
/// that match.
struct CookiePath {
    private let bytes: [UInt8]
    /// Of the first byte, of the first two, and so on: FNV-1a. That two paths have the same costs a look at their bytes,
    /// and no more.
    private let hashes: [UInt64]

    init(_ path: some Sequence<UInt8>) {
        bytes = Array(path)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        hashes = bytes.map { byte in
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            return hash
        }
    }

    /// The hash of the whole path.
    var hash: UInt64 { hashes.last ?? 0 }
    /// The number of bytes.
    var count: Int { bytes.count }

    /// Whether the path is another one, or lies beneath it.
    ///
    /// - Parameters:
    ///   - hash: The hash of the other one.
    ///   - size: The number of its bytes.
    ///   - prefix: These bytes; asked for if the hash is right.
    func isWithin(_ hash: UInt64, size: Int, _ prefix: () -> [UInt8]) -> Bool {
        guard size > 0, size <= bytes.count, hashes[size - 1] == hash else { return false }
        let slash = UInt8(ascii: "/")
        return (size == bytes.count || bytes[size - 1] == slash || bytes[size] == slash)
            && bytes.starts(with: prefix())
    }
}
