// SPDX-License-Identifier: Apache-2.0

/// The answer to a response's head.
public enum ResponseAnswer: Sendable {
    /// Deliver its body.
    case allow
    /// Cancel the task.
    case cancel
    /// Let a download task take over the exchange: the body becomes a temporary file. For delegates of data and upload
    /// tasks that are `SessionDownloadDelegate`s; for others the body is delivered.
    case becomeDownload
}
