// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The delegate of a download task, as the task uses it: it writes the content to a file.
protocol DownloadControl: SessionTaskDelegate {
    /// Returns the request to send for `request`.
    func prepared(_ request: URLRequest) -> URLRequest

    /// Keeps the file that the delegate is being called about.
    func keepFile()

    /// Calls `handler` at the end, with the resume data. False, and no call, if the download has ended.
    func askForResumeData(_ handler: @escaping @Sendable (Data?) -> Void) -> Bool

    /// No more bytes will arrive: finishes the file, and completes the task when that is done.
    func finalize(_ task: SessionTask, _ error: SessionError?)

    /// The task is cancelled while the file is being finished.
    func finalizeSooner(_ error: SessionError?)
}
