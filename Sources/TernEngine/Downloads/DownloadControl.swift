// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The delegate of a download task, as the task knows it: what brings the content into a file.
protocol DownloadControl: SessionTaskDelegate {
    /// Returns what is to be sent for `request`.
    func prepared(_ request: URLRequest) -> URLRequest

    /// Keeps the file that the delegate is being told of.
    func keepFile()

    /// Calls `handler` at the end, with what the download can be resumed with. False, and no call, if it has ended.
    func askForResumeData(_ handler: @escaping @Sendable (Data?) -> Void) -> Bool

    /// All has arrived that will: finishes the file, and completes the task when that is done.
    func finalize(_ task: SessionTask, _ error: SessionError?)

    /// The task is cancelled while the file is being finished.
    func finalizeSooner(_ error: SessionError?)
}
