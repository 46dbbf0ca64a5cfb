// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// A question that must be answered before a request continues: a server requests credentials, or the client asks
/// whether to trust a server.
public struct Challenge: Sendable {
    /// The protection space of the challenge.
    public let protectionSpace: ProtectionSpace
    /// The number of answers given before for the same task.
    public let previousFailureCount: Int
    /// The response with the challenge.
    public let failureResponse: HTTPURLResponse?
    /// The verdict of the manager's policies, with its reasons, for a server trust challenge; nil otherwise. Revocation
    /// has been checked as they require, and ``ProtectionSpace/serverTrust`` has the results.
    public let verdict: ServerTrustResult?
    /// Whether a redirect has led the request away from its origin (scheme, host and port), even if another has led it
    /// back.
    ///
    /// The credential of ``Request/authenticate(user:password:persistence:)`` is withheld then, and the 401 is the
    /// answer. A closure that answers with a credential gives it to the host of ``protectionSpace``.
    public let hasLeftOrigin: Bool

    /// Creates a challenge, for example for tests.
    public init(
        protectionSpace: ProtectionSpace, previousFailureCount: Int = 0, failureResponse: HTTPURLResponse? = nil,
        verdict: ServerTrustResult? = nil, hasLeftOrigin: Bool = false
    ) {
        self.hasLeftOrigin = hasLeftOrigin
        self.protectionSpace = protectionSpace
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
        self.verdict = verdict
    }

    /// Whether it is a server trust challenge.
    init(_ challenge: ServerTrustChallenge) {
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                authenticationMethod: .serverTrust, serverTrust: challenge.serverTrust),
            verdict: challenge.verdict)
    }

    /// Chooses among the challenges of a 401: the one that a password answers most safely, else the first.
    init(_ challenge: AuthenticationChallenge) {
        let scheme = HTTPChallenge.preferred(
            among: HTTPChallenge.challenges(in: challenge.response.head.bytes(for: "WWW-Authenticate")))
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                realm: scheme?.realm, authenticationMethod: .init(scheme: scheme?.scheme)),
            previousFailureCount: challenge.previousFailureCount, failureResponse: challenge.response,
            hasLeftOrigin: challenge.hasLeftOrigin)
    }
}

/// The answer to a ``Challenge``.
public enum ChallengeDisposition: Sendable, Hashable {
    /// Answer with the credential; without one, use the default handling. A server trust credential accepts the server,
    /// even if the manager's policies refused it.
    case useCredential
    /// Use the default handling: keep the verdict of the manager's policies, and do not answer a request for a
    /// password.
    case performDefaultHandling
    /// End the request. A server is refused.
    case cancelAuthenticationChallenge
    /// Do not answer: the response with the challenge is the result. A server is refused.
    case rejectProtectionSpace
}

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
