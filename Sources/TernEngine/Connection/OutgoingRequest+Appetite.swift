// SPDX-License-Identifier: Apache-2.0

extension OutgoingRequest {
    /// What it waits for.
    enum Appetite {
        /// Nothing: all has been handed over, or there is nothing.
        case none
        /// The kernel to take more.
        case writability
        /// Its source to have more.
        case source
        /// The server to say whether it wants the content (RFC 9110 §10.1.1).
        case permission
    }
}
