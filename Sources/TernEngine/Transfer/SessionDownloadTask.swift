// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A task whose response becomes a file. It is written off the reactor's thread, and a slow disk slows the server down.
public final class SessionDownloadTask: SessionTask, @unchecked Sendable {
    /// Has the file stay where it is, and whoever calls remove it. For `downloadTask(_:didFinishDownloadingTo:)`; without effect at any
    /// other time.
    public func keepFile() {}

    /// Ends the task with `.cancelled`, and calls `completionHandler` once, when the partial file is written: with what the download
    /// can be resumed with, or nil if it cannot be, or is over. On any thread.
    public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        cancel()
        completionHandler(nil)
    }

    /// The same, and waits for it.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}
