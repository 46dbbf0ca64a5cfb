// SPDX-License-Identifier: Apache-2.0

/// The state of receiving a response.
enum Receiving {
    /// No request yet. Exits: `head`, `closed`.
    case idle
    /// The peer closed before a request. No exit.
    case closed
    /// Before or within a head. Exits: itself after an informational one, and all of the next five.
    case head
    /// The number of content bytes left. Exit: `complete`.
    case exactly(left: Int)
    /// Within the chunked coding or its trailers. Exit: `complete`.
    case chunked
    /// In content that is delimited by the connection's end. Exit: `complete`.
    case untilClose
    /// The response has no content; its end is not yet reported. Exit: `complete`.
    case ending
    /// The response has no content; the handover is not yet reported. Exit: `handedOver`.
    case handingOver
    /// Exit: `head`, with the next exchange.
    case complete
    /// No exit.
    case handedOver
    /// No exit.
    case failed

    /// No bytes are expected.
    var isAtRest: Bool {
        switch self {
        case .idle, .closed, .complete: true
        case .head, .exactly, .chunked, .untilClose, .ending, .handingOver, .handedOver, .failed: false
        }
    }
}
