// SPDX-License-Identifier: Apache-2.0

/// Where a request stands: the sending half of an exchange.
enum Sending {
    /// Nothing begun. Exit: any of the next three, with an exchange.
    case idle
    /// So much content is still owed. Exit: `complete`.
    case exactly(left: Int)
    /// Content goes on until it is finished. Exit: `complete`.
    case chunked
    /// Exit: the next exchange.
    case complete
    /// Content did not match its announcement; the peer waits for what will never come. No exit.
    case failed

    /// Nothing is owed.
    var isAtRest: Bool {
        switch self {
        case .idle, .complete: true
        case .exactly, .chunked, .failed: false
        }
    }
}
