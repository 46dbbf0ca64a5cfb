// SPDX-License-Identifier: Apache-2.0

/// What to do with a response whose head has come.
public enum ResponseDisposition: Sendable {
    /// Deliver its body.
    case allow
    /// Cancel the task.
    case cancel
}
