// SPDX-License-Identifier: Apache-2.0

/// The state of sending a request.
enum Sending {
    /// No exchange. Exit: any of the next three, with an exchange.
    case idle
    /// The number of content bytes left to send. Exit: `complete`.
    case exactly(left: Int)
    /// Chunked content, until it is finished. Exit: `complete`.
    case chunked
    /// Exit: the next exchange.
    case complete
    /// The content did not match its announced length, so the peer waits for bytes that will not come. No exit.
    case failed

    /// No content is left to send.
    var isAtRest: Bool {
        switch self {
        case .idle, .complete: true
        case .exactly, .chunked, .failed: false
        }
    }
}
