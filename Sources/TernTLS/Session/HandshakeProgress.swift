// SPDX-License-Identifier: Apache-2.0

/// How far a handshake has come; there may be something to send, but for `needRevocation`, `needEvaluation` and
/// `needDisposition`.
public enum HandshakeProgress: Sendable, Hashable {
    /// All ciphertext was taken in, and the peer has to speak next.
    case needMoreBytes
    /// Evaluating the peer takes long. Run this off the reactor, give its result to `take`, and call `handshake` again;
    /// what waits to be sent has to wait till then.
    case needEvaluation(PendingEvaluation)
    /// Whether the peer can be trusted depends on what comes back to these questions. Give it to `answer`, and call
    /// `handshake` again; what waits to be sent has to wait till then.
    case needRevocation([RevocationQuestion])
    /// The verdict is final, and the session was made to ask about it. Give the disposition to `answer`, and call
    /// `handshake` again; what waits to be sent has to wait till then.
    case needDisposition(PendingVerdict)
    /// The peer is trusted; application data may flow both ways.
    case complete
}
