// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// The scope of a challenge: a server, or a realm on it.
public struct ProtectionSpace: Sendable {
    /// The kind of credential that a challenge requires.
    public struct AuthenticationMethod: RawRepresentable, Sendable, Hashable {
        /// Foundation's name for it.
        public let rawValue: String

        /// The method of that name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The method of a challenge with a scheme of that name.
        init(scheme: String?) {
            self =
                switch scheme {
                case "basic": .httpBasic
                case "digest": .httpDigest
                default: .default
                }
        }

        /// Whether the server's certificate is trusted.
        public static let serverTrust = AuthenticationMethod(rawValue: "NSURLAuthenticationMethodServerTrust")
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
    public let authenticationMethod: AuthenticationMethod
    /// The server's trust, for a server trust challenge: its certificates, and the revocation data that the handshake
    /// gathered for the manager's policies. See ``Challenge/verdict``.
    public let serverTrust: ServerTrust?

    /// Creates a space, for example for tests.
    public init(
        host: String, port: Int = 0, protocol: String? = nil, realm: String? = nil,
        authenticationMethod: AuthenticationMethod = .default, serverTrust: ServerTrust? = nil
    ) {
        self.host = host
        self.port = port
        self.protocol = `protocol`
        self.realm = realm
        self.authenticationMethod = authenticationMethod
        self.serverTrust = serverTrust
    }
}
