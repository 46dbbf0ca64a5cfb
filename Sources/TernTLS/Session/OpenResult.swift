// SPDX-License-Identifier: Apache-2.0

/// What opening ciphertext yielded.
public enum OpenResult: Sendable, Hashable {
    /// This number of bytes of plaintext was written, at least one; there may be more.
    case bytes(Int)
    /// The peer said something that is not application data, such as a session ticket; there may be more. It costs far
    /// more to take in than its bytes tell.
    case message
    /// All ciphertext was taken in, and no plaintext is left.
    case needMoreBytes
    /// The peer sent close_notify: everything it wrote has arrived.
    case endOfStream
}
