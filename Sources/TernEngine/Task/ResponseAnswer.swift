// SPDX-License-Identifier: Apache-2.0

/// What to do with a response whose head has come.
public enum ResponseAnswer: Sendable {
    /// Deliver its body.
    case allow
    /// Cancel the task.
    case cancel
    /// Have a download task take the exchange over: the body becomes a temporary file. For delegates of data and upload
    /// tasks that are `SessionDownloadDelegate`s; to others the body is delivered.
    case becomeDownload
}
