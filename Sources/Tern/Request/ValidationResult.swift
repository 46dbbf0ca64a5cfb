// SPDX-License-Identifier: Apache-2.0

extension Request {
    /// What a validation says of a response.
    public enum ValidationResult: Sendable {
        /// The response is fine.
        case success
        /// The error that the response shall have.
        case failure(any Error)
    }
}
