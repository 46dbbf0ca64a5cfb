// SPDX-License-Identifier: Apache-2.0

/// Adds to a request what must differ each time that it is sent, such as a signature with a time. ``AWSSigner`` and
/// ``HTTPMessageSigner`` are two; set one as ``URLRequest/signer``.
public protocol RequestSigner: Sendable {
    /// Adds its fields, in place of others of their names. Called once for each attempt, on a reactor's thread: it does not
    /// block.
    ///
    /// - Parameter request: as it is sent otherwise, but for fields that are added to all requests: `Host`,
    ///   `Content-Length`, those of ``SessionConfiguration/httpAdditionalHeaders``, and those of a proxy. What a signer adds
    ///   is for this attempt: the next one begins with the request as it was.
    /// - Throws: why the request cannot be signed. It is not sent, and its task fails with
    ///   ``AuthenticationError/unsigned(_:)``.
    func sign(_ request: inout URLRequest) throws

    /// A text that stays the same when a key is replaced, and differs for other users, such as the number of an account or
    /// of a key. A session with a ``URLCache`` keeps the responses of different identities apart; a request whose signer has
    /// none, the default, is not answered by the cache, and its response is not stored.
    var credentialIdentity: String? { get }
}

extension RequestSigner {
    /// Nil.
    public var credentialIdentity: String? { nil }
}
