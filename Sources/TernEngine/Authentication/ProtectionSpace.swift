// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernSystem
public import TernTLS

/// The scope of a credential and of a challenge: a server, or a realm on it (RFC 9110 §11.5). With the members of
/// Foundation's `URLProtectionSpace`.
///
/// Two spaces are equal if their host, in any case, their port, protocol, realm and method are: http and https, Digest
/// and Basic are different spaces.
public struct ProtectionSpace: Sendable {
    /// The kind of credential that a challenge requires.
    public struct AuthenticationMethod: RawRepresentable, Sendable, Hashable {
        /// Foundation's name for it.
        public let rawValue: String

        /// The method of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The method of a challenge with a scheme of that name.
        package init(scheme: String?) {
            self =
                switch scheme {
                case "basic": .httpBasic
                case "digest": .httpDigest
                default: .default
                }
        }

        /// Whether the server's certificate is trusted.
        public static let serverTrust = AuthenticationMethod(rawValue: "NSURLAuthenticationMethodServerTrust")
        /// A certificate of the client, in the TLS handshake.
        public static let clientCertificate = AuthenticationMethod(
            rawValue: "NSURLAuthenticationMethodClientCertificate")
        /// A name and a password (RFC 7617).
        public static let httpBasic = AuthenticationMethod(rawValue: "NSURLAuthenticationMethodHTTPBasic")
        /// Proof of knowing a password (RFC 7616).
        public static let httpDigest = AuthenticationMethod(rawValue: "NSURLAuthenticationMethodHTTPDigest")
        /// Something else.
        public static let `default` = AuthenticationMethod(rawValue: "NSURLAuthenticationMethodDefault")
    }

    /// The host.
    public let host: String
    /// The port; 0 if it is unknown.
    public let port: Int
    /// "http" or "https".
    public let `protocol`: String?
    /// The realm the server names (RFC 9110 §11.5).
    public let realm: String?
    /// The required kind of credential.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public let authenticationMethod: AuthenticationMethod
    /// The kind of the proxy that the space is of; nil for that of a server.
    public let proxyType: String?
    /// The server's trust, for a server trust challenge: its certificates, and the revocation data that the handshake
    /// gathered for the session's policies.
    public let serverTrust: ServerTrust?

    /// Creates a space.
    ///
    /// - Parameters:
    ///   - host: a host as in a URL, in any case; an IPv6 address without brackets.
    ///   - port: the port; 0 if it is unknown.
    ///   - protocol: "http" or "https".
    ///   - realm: the realm that the server names.
    ///   - authenticationMethod: the required kind of credential; nil for ``AuthenticationMethod/default``.
    ///   - serverTrust: the server's trust.
    public init(
        host: String, port: Int = 0, protocol: String? = nil, realm: String? = nil,
        authenticationMethod: AuthenticationMethod? = nil, serverTrust: ServerTrust? = nil
    ) {
        self.host = host
        self.port = port
        self.protocol = `protocol`
        self.realm = realm
        self.authenticationMethod = authenticationMethod ?? .default
        self.serverTrust = serverTrust
        proxyType = nil
    }

    /// Creates the space of a proxy. Sessions have no use for it: they do not look there for the passwords of proxies.
    package init(
        proxyHost: String, port: Int, type: String, realm: String?, authenticationMethod: AuthenticationMethod?
    ) {
        (host, self.port, self.realm, proxyType) = (proxyHost, port, realm, type)
        self.authenticationMethod = authenticationMethod ?? .default
        (`protocol`, serverTrust) = (nil, nil)
    }

    /// Whether a credential cannot be read on its way: over TLS, or where Digest sends a hash of the password.
    public var receivesCredentialSecurely: Bool {
        authenticationMethod == .httpDigest || `protocol`?.lowercased() == "https"
    }

    /// Whether the space is that of a proxy. Those of challenges are not.
    public var isProxy: Bool { proxyType != nil }

    /// Nil: which authorities a server accepts for certificates of clients is not read.
    public var distinguishedNames: [Data]? { nil }
}

extension ProtectionSpace: Hashable {
    /// Without the server's trust.
    private struct Key: Hashable {
        let host: String
        let port: Int
        let `protocol`: String?
        let realm: String?
        let method: AuthenticationMethod
        let proxyType: String?
    }

    private var key: Key {
        Key(
            host: canonicalHost, port: port, protocol: `protocol`?.lowercased(), realm: realm,
            method: authenticationMethod, proxyType: proxyType)
    }

    public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool { left.key == right.key }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ProtectionSpace {
    /// The host in lower case, in its form in DNS.
    var canonicalHost: String { InternationalizedNames.inDNS(host).lowercased() }

    /// The space of a challenge from this origin; without one, that of an unknown challenge.
    init(_ origin: HTTPOrigin, _ challenge: HTTPChallenge?) {
        self.init(
            host: origin.host, port: Int(origin.port), protocol: "\(origin.scheme)", realm: challenge?.realm,
            authenticationMethod: .init(scheme: challenge?.scheme))
    }

    /// The same without the server's trust.
    var withoutTrust: ProtectionSpace {
        if serverTrust == nil { return self }
        return ProtectionSpace(
            host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: authenticationMethod)
    }
}
