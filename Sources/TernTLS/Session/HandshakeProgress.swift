// SPDX-License-Identifier: Apache-2.0

/// The progress of a handshake. There may be ciphertext to send, except for `needRevocation`, `needEvaluation` and
/// `needDisposition`.
public enum HandshakeProgress: Sendable, Hashable {
    /// All ciphertext is consumed, and the peer must send more.
    case needMoreBytes
    /// Evaluating the peer takes long. Run this off the reactor, pass its result to `take`, and call `handshake` again;
    /// ciphertext to send must wait until then.
    case needEvaluation(PendingEvaluation)
    /// The verdict depends on the answers to these questions. Pass them to `answer`, and call `handshake` again;
    /// ciphertext to send must wait until then.
    case needRevocation([RevocationQuestion])
    /// The verdict is final, and the session was created to ask about it. Pass the disposition to `answer`, and call
    /// `handshake` again; ciphertext to send must wait until then.
    case needDisposition(PendingVerdict)
    /// The peer is trusted; application data may be sent both ways.
    case complete
}
