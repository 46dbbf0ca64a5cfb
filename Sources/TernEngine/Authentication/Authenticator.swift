// SPDX-License-Identifier: Apache-2.0

/// Adds credentials to requests, and gets fresh ones. An ``AuthenticationInterceptor`` calls it, on any thread.
///
/// The interceptor knows by itself which requests were refused with an old credential, so Alamofire 5's
/// `isRequest(_:authenticatedWith:)` is not needed.
public protocol Authenticator: Sendable {
    /// What authenticates a request.
    associatedtype Credential: AuthenticationCredential

    /// The status codes of responses that refuse a credential. Read once, by the interceptor's initializer; 401 by
    /// default.
    var refusingStatusCodes: Set<Int> { get }

    /// Whether this request needs a credential. Requests that need none are sent unchanged and never wait for a refresh:
    /// return false for those of `refresh(_:)` if they belong to the same session. True by default.
    func authenticates(_ request: URLRequest) -> Bool

    /// Adds the credential to the request, in place of an earlier one. Called for every hop to the origin of the
    /// original request.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Returns a fresh credential in place of this one. Never called again before it has returned.
    ///
    /// Use a session without the interceptor for the requests that it sends, or exclude them with
    /// `authenticates(_:)`: they would wait for themselves.
    ///
    /// - Throws: any error, which fails the requests that wait: ``AuthenticationError/refreshFailed(_:)``.
    func refresh(_ credential: Credential) async throws -> Credential

    /// The identity of the credential: a text that stays the same when the credential is refreshed, and differs for other
    /// users, such as an account number. Nil, the default, if there is none. A cache keeps the responses of different
    /// identities apart; see ``RequestAuthentication/credentialIdentity(for:)``.
    func identity(of credential: Credential) -> String?
}

extension Authenticator {
    /// 401 (RFC 9110 §15.5.2).
    public var refusingStatusCodes: Set<Int> { [401] }

    /// True.
    public func authenticates(_ request: URLRequest) -> Bool { true }

    /// Nil.
    public func identity(of credential: Credential) -> String? { nil }
}

/// A credential that authenticates requests and can be replaced by a fresh one, such as an access token with its refresh
/// token. As in Alamofire 5.
public protocol AuthenticationCredential: Sendable {
    /// Whether the credential must be refreshed before it authenticates another request, for example because it expires
    /// within a minute. Called on any thread, for every request.
    var requiresRefresh: Bool { get }
}
