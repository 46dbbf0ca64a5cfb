// SPDX-License-Identifier: Apache-2.0

/// The answer to a request for new content, when content that can be read once must be sent again.
public enum BodyAnswer: Sendable {
    /// This.
    case content(RequestBody)
    /// There is none: the task fails.
    case unavailable
}
