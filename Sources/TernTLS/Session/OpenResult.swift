// SPDX-License-Identifier: Apache-2.0

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
