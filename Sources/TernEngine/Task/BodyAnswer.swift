// SPDX-License-Identifier: Apache-2.0

/// What to send where a request's content has to be sent again and can be read once only.
public enum BodyAnswer: Sendable {
    /// This.
    case content(RequestBody)
    /// There is no more of it: the task fails.
    case unavailable
}
