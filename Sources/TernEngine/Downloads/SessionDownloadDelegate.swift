// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// Receives what happens to a download, on the reactor's thread, besides what happens to any task. `task(_:didReceive:
/// Span<UInt8>)` is not called: what comes goes into the file.
public protocol SessionDownloadDelegate: SessionTaskDelegate {
    /// A data task's response becomes a file, because this delegate wanted it to
    /// (``ResponseAnswer/becomeDownload``): `download` has taken the exchange over, and tells this delegate from
    /// now on. It has been started. `task` is over, and is told nothing more of, not even its end.
    func task(_ task: SessionTask, didBecome download: SessionDownloadTask)
    /// More of the content was written to the file: `bytesWritten` bytes since the last call, `totalBytesWritten` in
    /// all, of `totalBytesExpectedToWrite`, which is -1 if it is not known.
    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)
    /// The server continues where the partial file ends, at byte `fileOffset` of `expectedTotalBytes`, which is -1 if
    /// it is not known.
    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
    /// The content is complete, whatever the status of the response, and the file stands at `location`. A file for
    /// which no target was named is removed when this call returns, unless it has been moved or
    /// ``SessionDownloadTask/keepFile()`` was called.
    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL)
}

extension SessionDownloadDelegate {
    /// Does nothing.
    public func task(_ task: SessionTask, didBecome download: SessionDownloadTask) {}
    /// Does nothing.
    public func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {}
    /// Does nothing.
    public func downloadTask(
        _ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {}
}
