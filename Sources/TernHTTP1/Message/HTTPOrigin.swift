// SPDX-License-Identifier: Apache-2.0

/// An origin: scheme, host and port (RFC 9110 §4.3.1).
///
/// One reference: requests, routes and pools copy it often. The hash of its three parts is computed once, because every
/// request compares and hashes the origin.
public struct HTTPOrigin: Sendable {
    private final class Parts: Sendable {
        let scheme: HTTPOrigin.Scheme
        let port: UInt16
        let isEncodable: Bool
        let endsInNoAddress: Bool
        let digest: Int
        let host: String
        let hostField: String

        init(scheme: HTTPOrigin.Scheme, host: String, port: UInt16, hostField: String, endsInNoAddress: Bool) {
            (self.scheme, self.host, self.port, self.hostField) = (scheme, host, port, hostField)
            isEncodable = !endsInNoAddress && Authority.isValid(hostField.utf8.span)
            self.endsInNoAddress = endsInNoAddress
            var hasher = Hasher()
            hasher.combine(scheme)
            hasher.combine(host)
            hasher.combine(port)
            digest = hasher.finalize()
        }
    }

    private let parts: Parts

    /// The scheme: with or without TLS.
    public var scheme: HTTPOrigin.Scheme { parts.scheme }
    /// Lower-case, without brackets around an IPv6 address, without userinfo. An address has its usual form, however it
    /// was spelled: `0x7f.1` and `127.0.0.1.` are `127.0.0.1`, and `0:0::1` is `::1` (RFC 5952). The zone of a link-local address stays, as in
    /// `fe80::1%eth0`: it is part of the endpoint, and the name of an interface has its case.
    public var host: String { parts.host }
    /// The port, also where it is the scheme's default.
    public var port: UInt16 { parts.port }
    /// The value of `Host` (RFC 9110 §7.2): an IPv6 address in brackets and without its zone, which has no meaning to
    /// the peer (RFC 6874 §1); the port only when it is not the scheme's default.
    public var hostField: String { parts.hostField }
    /// Whether ``hostField`` is valid (RFC 3986 §3.2.2); checked once instead of in every request.
    var isEncodable: Bool { parts.isEncodable }
    /// Whether the host ends in a number and is no address, and so no host.
    var endsInNoAddress: Bool { parts.endsInNoAddress }

    /// Creates an origin from a name or address in any case, with or without brackets. A host that is not valid in a
    /// URI is refused when a request is encoded, and so is one that ends in a number and is no address.
    public init(scheme: HTTPOrigin.Scheme, host: String, port: UInt16) {
        var host = Self.lowercased(Self.withoutBrackets(host))
        let isIPv6 = host.utf8.span.contains(.colon)
        var endsInNoAddress = false
        if isIPv6 {
            let zone = host.utf8.firstIndex(of: .percent) ?? host.utf8.endIndex
            let address = String(host[..<zone])
            if let usual = IPv6Host.usualText(of: address.utf8.span) { host = usual + host[zone...] }
        } else {
            switch IPv4Host(host.utf8.span) {
            case .none, .address(_, isUsual: true): break
            case .address(let address, isUsual: false): host = IPv4Host.text(address)
            case .invalid: endsInNoAddress = true
            }
        }
        let authority = isIPv6 ? "[\(host.prefix { $0 != "%" })]" : host
        parts = Parts(
            scheme: scheme, host: host, port: port,
            hostField: port == scheme.defaultPort ? authority : authority + ":" + String(port),
            endsInNoAddress: endsInNoAddress)
    }

    /// The name or the address that the server's certificate must be for: ``host`` without a zone, which has no meaning to
    /// the peer.
    package var certifiedHost: String {
        guard let zone = host.utf8.firstIndex(of: .percent) else { return host }
        return String(host[..<zone])
    }

    /// The host of an origin with this host: the one form in which hosts are compared.
    package static func canonicalHost(_ host: String) -> String { HTTPOrigin(scheme: .http, host: host, port: 80).host }

    private static func lowercased(_ host: String) -> String {
        guard host.utf8.span.contains(.percent), let zone = host.utf8.firstIndex(of: .percent) else {
            return host.asciiLowercased
        }
        return String(host[..<zone]).asciiLowercased + host[zone...]
    }

    private static func withoutBrackets(_ host: String) -> String {
        let bytes = host.utf8.span
        guard bytes.count > 1, bytes[0] == .leftBracket, bytes[bytes.count &- 1] == .rightBracket else { return host }
        return String(host.utf8.dropFirst().dropLast()) ?? host
    }
}

extension HTTPOrigin: Hashable {
    public static func == (left: HTTPOrigin, right: HTTPOrigin) -> Bool {
        if left.parts === right.parts { return true }
        return left.parts.digest == right.parts.digest && left.port == right.port && left.scheme == right.scheme
            && left.host == right.host
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.digest)
    }
}

extension HTTPOrigin: CustomStringConvertible {
    /// The origin as text, for example `https://example.com` or `http://[::1]:8080`.
    public var description: String { "\(scheme)://\(hostField)" }
}

extension HTTPOrigin {
    /// The two URI schemes an HTTP client dereferences (RFC 9110 §4.2).
    public enum Scheme: Sendable, Hashable {
        /// Without TLS.
        case http
        /// Over TLS.
        case https

        /// The port a URI of this scheme means when it names none.
        public var defaultPort: UInt16 {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }
}
