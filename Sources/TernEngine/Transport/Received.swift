// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// The result of receiving, or of opening received bytes.
enum Received: Hashable {
    /// This number of bytes.
    case bytes(Int)
    /// A TLS message without any.
    case message
    /// No more at present.
    case nothing
    /// No more ever. Over TLS only close_notify is an orderly end; without it an attacker may have cut the message
    /// short (RFC 8446 §6.1).
    case endOfStream(isOrderly: Bool)

    /// The result of opening a record; nil if there is none.
    init(_ opened: OpenResult?) {
        switch opened {
        case .bytes(let count): self = .bytes(count)
        case .message: self = .message
        case .needMoreBytes, nil: self = .nothing
        case .endOfStream: self = .endOfStream(isOrderly: true)
        }
    }
}
