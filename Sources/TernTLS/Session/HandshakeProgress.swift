// SPDX-License-Identifier: Apache-2.0

/// How far a handshake has come; in either case there may be something to send.
public enum HandshakeProgress: Sendable, Hashable {
    /// All ciphertext was taken in, and the peer has to speak next.
    case needMoreBytes
    /// The peer is trusted; application data may flow both ways.
    case complete
}
