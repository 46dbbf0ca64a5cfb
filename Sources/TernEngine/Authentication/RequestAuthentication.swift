// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Authenticates the requests of a session, and learns which of its credentials servers refuse. Use
/// ``AuthenticationInterceptor``, or write one where its rules do not fit.
public protocol RequestAuthentication: Sendable {
    /// The status codes of responses that refuse a credential. Read once, when a session is created.
    var refusingStatusCodes: Set<Int> { get }

    /// Returns the request to send, and the number of the credential in it; nil for a request that needs none. Called
    /// for every hop to the origin of the original request, on any thread. The request waits meanwhile, and the call is
    /// cancelled, as a Swift task is, if the request ends first: it should return soon then.
    func authenticated(
        _ request: URLRequest
    ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)?

    /// A server refused the credential with this number. Returns whether the request is to be authenticated again and
    /// sent again; otherwise the refusal is the answer. Called on a reactor's thread: it returns at once.
    ///
    /// - Parameters:
    ///   - credentialNumber: as `authenticated(_:)` returned it.
    ///   - origin: the server. Others may still accept the credential.
    func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool

    /// The identity of the credential that `authenticated(_:)` would add to the request: a text that stays the same when
    /// the credential is refreshed, and differs for other users, such as an account number. Nil, the default, if there is
    /// none, or it is not known.
    ///
    /// A session with a ``URLCache`` keeps the responses of different identities apart. With an identity a fresh stored
    /// response answers without a call of `authenticated(_:)`, and stays when the credential is refreshed; without one
    /// the fields that `authenticated(_:)` adds stand for it. Called on a reactor's thread: it returns at once.
    func credentialIdentity(for request: URLRequest) -> String?
}

extension RequestAuthentication {
    /// Nil.
    public func credentialIdentity(for request: URLRequest) -> String? { nil }
}

/// A request with a credential, and the number of that credential.
typealias AuthenticatedRequest = (request: URLRequest, credentialNumber: Int32)

/// An authentication whose credential is usually at hand.
protocol ImmediateAuthentication: RequestAuthentication {
    /// The result of `authenticated(_:)`; nil if it must wait for one. Runs on a reactor's thread.
    func authenticatedAtOnce(_ request: URLRequest) -> Result<AuthenticatedRequest?, AuthenticationError>?

    /// The request with the present credential, which may have to be refreshed before a server gets it; nil if there is
    /// none.
    func authenticatedWithoutRefresh(_ request: URLRequest) -> URLRequest?
}
