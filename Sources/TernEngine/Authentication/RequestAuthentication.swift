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
}

/// A request with a credential, and the number of that credential.
typealias AuthenticatedRequest = (request: URLRequest, credentialNumber: Int32)

/// An authentication whose credential is usually at hand.
protocol ImmediateAuthentication: RequestAuthentication {
    /// The result of `authenticated(_:)`; nil if it must wait for one. Runs on a reactor's thread.
    func authenticatedAtOnce(_ request: URLRequest) -> Result<AuthenticatedRequest?, AuthenticationError>?
}
