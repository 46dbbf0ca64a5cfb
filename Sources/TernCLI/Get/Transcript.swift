// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernLock

/// Takes down everything that happens to one task.
final class Transcript: SessionDataDelegate {
    struct Contents: Sendable {
        var informational: [Tern.HTTPURLResponse] = []
        var response: Tern.HTTPURLResponse?
        var body = Data()
        var trailers = HTTPFields()
        var discardedTrailers = HTTPFields()
        var error: (any Error)?
        var metrics: TaskMetrics?
    }

    private struct State {
        var contents = Contents()
        var completion: CheckedContinuation<Void, Never>?
    }

    private let sink: BodyFile?
    private let state = Lock(State())

    /// The body goes into `sink`, or into the contents if there is none.
    init(sink: BodyFile?) {
        self.sink = sink
    }

    var contents: Contents { state.withLock { $0.contents } }

    /// Runs `task` to its end.
    func record(_ task: DataTask) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.completion = continuation }
            task.resume()
        }
    }

    func task(_ task: DataTask, didReceiveInformational response: Tern.HTTPURLResponse) {
        state.withLock { $0.contents.informational.append(response) }
    }

    func task(_ task: DataTask, didReceive response: Tern.HTTPURLResponse) {
        state.withLock { $0.contents.response = response }
    }

    func task(_ task: DataTask, didReceive bytes: Span<UInt8>) {
        let data = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
        guard let sink else { return state.withLock { $0.contents.body.append(data) } }
        do {
            try sink.write(data)
        } catch {
            state.withLock { $0.contents.error = error }
            task.cancel()
        }
    }

    func task(_ task: DataTask, didReceiveTrailers trailers: HTTPFields) {
        state.withLock { $0.contents.trailers = trailers }
    }

    func task(_ task: DataTask, didDiscardTrailers discarded: HTTPFields) {
        state.withLock { $0.contents.discardedTrailers = discarded }
    }

    func task(_ task: DataTask, didCompleteWith error: EngineError?) {
        let completion = state.withLock { state in
            state.contents.metrics = task.metrics
            if state.contents.error == nil { state.contents.error = error }
            return state.completion.take()
        }
        completion?.resume()
    }
}
