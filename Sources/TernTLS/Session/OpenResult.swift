// SPDX-License-Identifier: Apache-2.0

/// What opening ciphertext yielded.
public enum OpenResult: Sendable, Hashable {
    /// So many bytes of plaintext were written, at least one; there may be more.
    case bytes(Int)
    /// All ciphertext was taken in, and no plaintext is left.
    case needMoreBytes
    /// The peer sent close_notify: everything it wrote has arrived.
    case endOfStream
}
