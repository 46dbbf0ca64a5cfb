// SPDX-License-Identifier: Apache-2.0

/// The progress of a handshake. There may be ciphertext to send, except for `needRevocation`, `needEvaluation`,
/// `needDisposition` and `needSignature`.
public enum HandshakeProgress: Sendable, Hashable {
    /// All ciphertext is consumed, and the peer must send more.
    case needMoreBytes
    /// Evaluating the peer takes long. Run this off the reactor, pass its result to `take`, and call `handshake` again;
    /// ciphertext to send must wait until then.
    case needEvaluation(PendingEvaluation)
    /// The verdict depends on the answers to these questions, about revocation or a missing issuer. Pass them to
    /// `answer`, and call `handshake` again; ciphertext to send must wait until then.
    case needRevocation([RevocationQuestion])
    /// The verdict is final, and the session was created to ask about it. Pass the disposition to `answer`, and call
    /// `handshake` again; ciphertext to send must wait until then.
    case needDisposition(PendingVerdict)
    /// The client's key is elsewhere. Run this on a thread that may block, pass its result to `take`, and call
    /// `handshake` again; ciphertext to send must wait until then.
    case needSignature(PendingSignature)
    /// The peer is trusted; application data may be sent both ways.
    case complete
}

/// The part of an evaluation that would block the handshake's thread for too long. It does not wait for anything, its
/// work is bounded (see ``EvaluationLimit``), and it calls no closures of the user.
public final class PendingEvaluation: Sendable {
    private let evaluation: PolicyEvaluation
    private let policy: ServerTrustPolicy

    init(_ evaluation: PolicyEvaluation, of policy: ServerTrustPolicy) {
        self.evaluation = evaluation
        self.policy = policy
    }

    /// Does the work, on any thread; pass the result to `TLSSession.take`.
    public func run() -> CompletedEvaluation {
        var evaluation = evaluation
        evaluation.prepare(for: policy)
        return CompletedEvaluation(evaluation: evaluation, pending: self)
    }
}

extension PendingEvaluation: Hashable {
    public static func == (left: PendingEvaluation, right: PendingEvaluation) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The result of a ``PendingEvaluation``.
public struct CompletedEvaluation: Sendable {
    let evaluation: PolicyEvaluation
    let pending: PendingEvaluation
}

/// The final verdict of a policy about a server, which waits for the answer of the session's user.
public final class PendingVerdict: Sendable {
    /// The verdict, with its reasons.
    public let result: ServerTrustResult
    /// The input of the verdict, with the revocation data that the handshake gathered. Its
    /// ``RevocationData/askedQuestions`` are set: a further policy that needs more answers than those refuses the
    /// server.
    public let trust: ServerTrust

    init(_ result: ServerTrustResult, about trust: ServerTrust) {
        self.result = result
        self.trust = trust
    }
}

extension PendingVerdict: Hashable {
    public static func == (left: PendingVerdict, right: PendingVerdict) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The result of opening ciphertext.
public enum OpenResult: Sendable, Hashable {
    /// This number of plaintext bytes was written, at least one; there may be more.
    case bytes(Int)
    /// The peer sent a message without application data, such as a session ticket; there may be more. Processing it
    /// costs far more than its length suggests.
    case message
    /// All ciphertext is consumed, and no plaintext is left.
    case needMoreBytes
    /// The peer sent close_notify: all its data has arrived.
    case endOfStream
}

/// The negotiated parameters of a session.
public struct TLSInfo: Sendable, Hashable {
    /// `TLSv1.2` or `TLSv1.3`.
    public let version: String
    /// The cipher suite by OpenSSL's name, such as `TLS_AES_256_GCM_SHA384`; empty before the handshake.
    public let cipher: String
    /// Whether an earlier session was resumed, so that no certificate was sent.
    public let resumed: Bool
    /// The protocol that the server selected by ALPN, or nil if it selected none.
    public let applicationProtocol: String?
    /// The group of the key exchange by its name in TLS, such as `x25519` or `secp256r1`; nil if keys were exchanged
    /// without one. Of a resumed session of TLS 1.2 that of its full handshake.
    public let group: String?
    /// The algorithm of the server's signature in the handshake by its name in RFC 8446 §4.2.3, such as
    /// `rsa_pss_rsae_sha256`; nil if it signed nothing, as when a session is resumed. In TLS 1.2 the curve in such a name
    /// means nothing: `ecdsa_secp256r1_sha256` is ECDSA with SHA-256 on whatever curve the certificate has.
    public let signatureAlgorithm: String?
}
