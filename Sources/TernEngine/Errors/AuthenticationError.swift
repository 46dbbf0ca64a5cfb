// SPDX-License-Identifier: Apache-2.0

/// Why a request could not be authenticated, by an ``AuthenticationInterceptor`` or a ``RequestSigner``.
public enum AuthenticationError: Error, Sendable {
    /// The interceptor has no credential.
    case missingCredential
    /// The credential requires a refresh, and the refresh window allows none yet.
    case excessiveRefresh(maximumAttempts: Int, interval: Duration)
    /// The authenticator threw this error. A `CancellationError` if the Swift task that waited for the refresh was
    /// cancelled.
    case refreshFailed(any Error)
    /// The signer of the request threw this error: a ``SigningError``, if it is one of this module.
    case unsigned(any Error)
}

extension AuthenticationError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .missingCredential: "there is no credential"
        case .excessiveRefresh(let attempts, let interval):
            "the credential was refreshed \(attempts) times within \(interval), which is the limit"
        case .refreshFailed(let error): "refreshing the credential failed: \(error)"
        case .unsigned(let error): "it could not be signed: \(error)"
        }
    }
}
