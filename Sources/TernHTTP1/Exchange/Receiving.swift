// SPDX-License-Identifier: Apache-2.0

/// Where a response stands: the receiving half of an exchange.
enum Receiving {
    /// Nothing asked yet. Exits: `head`, `closed`.
    case idle
    /// The peer closed before anything was asked. No exit.
    case closed
    /// Before or within a head. Exits: itself behind an informational one, and all of the next five.
    case head
    /// So much content is left. Exit: `complete`.
    case exactly(left: Int)
    /// Within the chunked coding or its trailers. Exit: `complete`.
    case chunked
    /// In content that ends with the connection. Exit: `complete`.
    case untilClose
    /// The head was all there is; its end is yet to be told. Exit: `complete`.
    case ending
    /// The head was all there is; the handover is yet to be told. Exit: `handedOver`.
    case handingOver
    /// Exit: `head`, with the next exchange.
    case complete
    /// No exit.
    case handedOver
    /// No exit.
    case failed

    /// Nothing is expected.
    var isAtRest: Bool {
        switch self {
        case .idle, .closed, .complete: true
        case .head, .exactly, .chunked, .untilClose, .ending, .handingOver, .handedOver, .failed: false
        }
    }
}
