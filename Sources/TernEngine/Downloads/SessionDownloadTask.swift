// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernLock

/// A task whose response becomes a file. The file is written off the reactor's thread, and a slow disk slows the server
/// down.
open class SessionDownloadTask: SessionTask, @unchecked Sendable {
    private let download: DownloadDriver

    /// Without a shard it fails as soon as it is started.
    init(_ driver: DownloadDriver, _ request: URLRequest, defaults: TaskDefaults, at place: TaskPlace?) {
        download = driver
        super.init(request: driver.prepared(request), delegate: driver, defaults: defaults, at: place)
    }

    /// Creates a task of no session, as ``SessionTask/init()`` does.
    public override init() {
        download = DownloadDriver(DownloadDestination(temporaryIn: nil), nil, NoOpTaskDelegate.shared)
        super.init(
            request: download.prepared(URLRequest(withoutURL: ())), delegate: download, defaults: .ofNoSession, at: nil)
    }

    /// Keeps the temporary file; the caller must delete it. For use in `downloadTask(_:didFinishDownloadingTo:)`; has
    /// no effect at any other time.
    public func keepFile() { download.keepFile() }

    /// Ends the task with `.cancelled`, and calls `completionHandler` once, when the partial file is written: with the
    /// resume data, or nil if the download cannot be resumed, or is over. The handler may run on any thread, and before
    /// the delegate receives the end.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        if !download.askForResumeData(completionHandler) { return completionHandler(nil) }
        cancel()
    }

    /// The same, as an async function.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }

    override func finalize(_ error: SessionError?) { download.finalize(self, error) }

    override func finalizeSooner(_ error: SessionError?) { download.finalizeSooner(self, error) }

    override func updatePause() {
        super.updatePause()
        download.updatePause(of: self)
    }

    /// Returns a task of the same session, for the same request and on the same reactor, with the time that is left to
    /// this one; nil once this one has ended.
    func sibling(_ driver: DownloadDriver) -> SessionDownloadTask? {
        guard let shard = lifecycle.withLock({ $0.isRunning ? $0.shard : nil }) else { return nil }
        var request = originalRequest
        for name in ["Range", "If-Range"] { request.headers[name] = nil }
        if let timeLeft {
            request.timeouts = defaults.timeouts(for: request)
            request.timeouts?.total = timeLeft
        }
        let task = SessionDownloadTask(
            driver, request, defaults: defaults, at: TaskPlace(shard: shard, table: table))
        task.created()
        return task
    }
}

/// Receives the events of a download, on the reactor's thread, in addition to those of any task. `task(_:didReceive:
/// Span<UInt8>)` is not called: the content is written to the file.
public protocol SessionDownloadDelegate: SessionTaskDelegate {
    /// An event of a download. Downloads call this method alone; by default it calls the event's own method below. See
    /// ``SessionTaskDelegate/handle(_:of:)``.
    func handle(_ event: DownloadEvent, of download: SessionDownloadTask)
    /// A data task's response becomes a file, because this delegate requested it (``ResponseAnswer/becomeDownload``):
    /// `download` has taken over the exchange, is already started, and calls this delegate from now on. `task` is over,
    /// and makes no more calls, not even at its end.
    func task(_ task: SessionTask, didBecome download: SessionDownloadTask)
    /// More of the content was written to the file: `bytesWritten` bytes since the last call, `totalBytesWritten` in
    /// all, of `totalBytesExpectedToWrite`, which is -1 if it is unknown.
    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64)
    /// The server continues where the partial file ends, at byte `fileOffset` of `expectedTotalBytes`, which is -1 if
    /// it is unknown. Also called after a retry of a body that broke off (``RetryPolicy``): with the number of bytes
    /// that the file has by then, or with 0 if the whole content comes again and replaces them.
    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64)
    /// The content is complete, whatever the status of the response, and the file is at `location`. A file without a
    /// target is removed when this call returns, unless it has been moved or ``SessionDownloadTask/keepFile()`` was
    /// called.
    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL)
}

/// An event of a download, as one value: those that any task has are ``TaskEvent``s. Counts are in bytes; an unknown
/// total is -1.
public enum DownloadEvent: Sendable {
    /// The download has taken over the exchange of this data task.
    case replaced(SessionTask)
    /// The server continues at this offset, or after a retry at 0.
    case resumed(at: Int64, expected: Int64)
    /// More of the content was written to the file.
    case wrote(Int64, total: Int64, expected: Int64)
    /// The content is complete, in this file.
    case finished(URL)
}

extension SessionDownloadDelegate {
    /// Calls the method of the event.
    public func handle(_ event: DownloadEvent, of download: SessionDownloadTask) {
        switch event {
        case .replaced(let task): self.task(task, didBecome: download)
        case .resumed(let offset, let expected):
            downloadTask(download, didResumeAtOffset: offset, expectedTotalBytes: expected)
        case .wrote(let count, let total, let expected):
            downloadTask(
                download, didWriteData: count, totalBytesWritten: total, totalBytesExpectedToWrite: expected)
        case .finished(let location): downloadTask(download, didFinishDownloadingTo: location)
        }
    }
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

extension NoOpTaskDelegate: SessionDownloadDelegate {
    package func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
