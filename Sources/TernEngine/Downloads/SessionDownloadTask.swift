// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A task whose response becomes a file. The file is written off the reactor's thread, and a slow disk slows the server
/// down.
public final class SessionDownloadTask: SessionTask, @unchecked Sendable {
    private let driver: DownloadDriver

    /// Without a shard it fails as soon as it is started.
    init(_ driver: DownloadDriver, _ request: URLRequest, defaults: TaskDefaults, at place: TaskPlace?) {
        self.driver = driver
        super.init(request: driver.prepared(request), delegate: driver, defaults: defaults, at: place)
    }

    /// Keeps the temporary file; the caller must delete it. For use in `downloadTask(_:didFinishDownloadingTo:)`; has
    /// no effect at any other time.
    public func keepFile() { driver.keepFile() }

    /// Ends the task with `.cancelled`, and calls `completionHandler` once, when the partial file is written: with the
    /// resume data, or nil if the download cannot be resumed, or is over. The handler may run on any thread, and before
    /// the delegate receives the end.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        if !driver.askForResumeData(completionHandler) { return completionHandler(nil) }
        cancel()
    }

    /// The same, as an async function.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }

    override func finalize(_ error: SessionError?) { driver.finalize(self, error) }

    override func finalizeSooner(_ error: SessionError?) { driver.finalizeSooner(error) }
}
