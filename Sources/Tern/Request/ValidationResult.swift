// SPDX-License-Identifier: Apache-2.0

extension Request {
    /// The result of a validation.
    public enum ValidationResult: Sendable {
        /// The response is valid.
        case success
        /// The error of the response.
        case failure(any Error)
    }
}
