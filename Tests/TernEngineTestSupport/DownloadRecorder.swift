// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock

@testable import TernEngine

/// A delegate that records the calls of a download.
final class DownloadRecorder: SessionDownloadDelegate {
    enum Event: Equatable {
        case head(Int), resumed(Int64, of: Int64), finished, end(failed: Bool)
    }

    struct Record {
        var events: [Event] = []
        /// Of what was written, in all and to be expected.
        var progress: [(written: Int64, total: Int64, expected: Int64)] = []
        /// The length of the file when the delegate was called.
        var content: [UInt8]?
        var location: URL?
        var error: SessionError?
    }

    private struct State {
        var record = Record()
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())
    private let onEvent: (@Sendable (SessionDownloadTask, Event) -> Void)?

    init(onEvent: (@Sendable (SessionDownloadTask, Event) -> Void)? = nil) { self.onEvent = onEvent }

    /// Waits for the end.
    func end() async -> Record {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiter = continuation }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
        return record
    }

    /// What it knows by now.
    var record: Record { state.withLock { $0.record } }

    private func note(_ task: SessionTask, _ event: Event) {
        state.withLock { $0.record.events.append(event) }
        if let task = task as? SessionDownloadTask { onEvent?(task, event) }
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { note(task, .head(response.statusCode)) }

    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        state.withLock { $0.record.progress.append((bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)) }
    }

    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64) {
        note(task, .resumed(fileOffset, of: expectedTotalBytes))
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        let content = try? Data(contentsOf: location)
        state.withLock { state in
            state.record.location = location
            state.record.content = content.map { Array($0) }
        }
        note(task, .finished)
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        note(task, .end(failed: error != nil))
        let waiter = state.withLock { state in
            state.record.error = error
            state.isOver = true
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
