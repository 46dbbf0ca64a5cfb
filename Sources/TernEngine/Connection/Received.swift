// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// What came of receiving, or of opening what was received.
enum Received: Hashable {
    /// This number of bytes.
    case bytes(Int)
    /// A message of TLS without any.
    case message
    /// Nothing more now.
    case nothing
    /// Nothing more ever. Over TLS only close_notify is an end in order; without it the message may have been cut short
    /// by anybody (RFC 8446 §6.1).
    case endOfStream(isOrderly: Bool)

    /// What a session opened; nil where there is none.
    init(_ opened: OpenResult?) {
        switch opened {
        case .bytes(let count): self = .bytes(count)
        case .message: self = .message
        case .needMoreBytes, nil: self = .nothing
        case .endOfStream: self = .endOfStream(isOrderly: true)
        }
    }
}
