// SPDX-License-Identifier: Apache-2.0

extension Request {
    /// The result of a validation.
    public enum ValidationResult: Sendable {
        /// The response is fine.
        case success
        /// The error that the response shall have.
        case failure(any Error)
    }
}
