// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A task whose response becomes a file. It is written off the reactor's thread, and a slow disk slows the server down.
public final class SessionDownloadTask: SessionTask, @unchecked Sendable {
    private let driver: any DownloadControl

    /// Without a place it fails as soon as it is started.
    init(_ driver: any DownloadControl, _ request: URLRequest, defaults: TaskDefaults, at place: TaskPlace?) {
        self.driver = driver
        super.init(request: driver.prepared(request), delegate: driver, defaults: defaults, at: place)
    }

    /// Keeps the temporary file; the caller must delete it. For `downloadTask(_:didFinishDownloadingTo:)`; without
    /// effect at any other time.
    public func keepFile() { driver.keepFile() }

    /// Ends the task with `.cancelled`, and calls `completionHandler` once, when the partial file is written: with what
    /// the download can be resumed with, or nil if it cannot be, or is over. On any thread, and before the delegate is
    /// told of the end.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        if !driver.askForResumeData(completionHandler) { return completionHandler(nil) }
        cancel()
    }

    /// The same, and waits for it.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }

    override func finalize(_ error: SessionError?) { driver.finalize(self, error) }

    override func finalizeSooner(_ error: SessionError?) { driver.finalizeSooner(error) }
}
