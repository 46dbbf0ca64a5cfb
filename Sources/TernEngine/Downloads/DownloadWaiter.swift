// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock

/// The delegate of `Session.download(for:)`.
final class DownloadWaiter: SessionDownloadDelegate {
    private struct State {
        var location: URL?
        var outcome: Result<(URL, HTTPURLResponse), SessionError>?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Starts `task`, and returns its result.
    func outcome(of task: SessionDownloadTask) async -> Result<(URL, HTTPURLResponse), SessionError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancelOnceStarted()
        }
        let outcome = state.withLock { $0.outcome.take() }
        return outcome ?? .failure(task.error(.transfer(.connectionLost(nil)), phase: .head))
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        task.keepFile()
        state.withLock { $0.location = location }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let response = task.response
        let continuation = state.withLock { state in
            if let location = state.location, let response {
                state.outcome = .success((location, response))
            } else {
                state.outcome = error.map { .failure($0) }
            }
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
