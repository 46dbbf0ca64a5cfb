// SPDX-License-Identifier: Apache-2.0

extension OutgoingRequest {
    /// What it waits for.
    enum WaitReason {
        /// Nothing: all content has been passed on, or there is none.
        case none
        /// The kernel to take more.
        case writability
        /// Its source to have more.
        case source
        /// The server's answer to the expectation (RFC 9110 §10.1.1).
        case permission
    }
}
