// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock

/// One request of a courier's: collects what comes back, up to a limit.
final class Errand: SessionTaskDelegate {
    private struct State {
        var statusCode: Int?
        var body = Data()
    }

    private let request: URLRequest
    private let sizeLimit: Int
    private let completion: @Sendable (CourierReply?) -> Void
    private let state = Lock(State())

    /// `completion` is called once, on any thread.
    init(_ request: URLRequest, sizeLimit: Int, completion: @escaping @Sendable (CourierReply?) -> Void) {
        self.request = request
        self.sizeLimit = sizeLimit
        self.completion = completion
    }

    func start(on session: Session) { session.dataTask(with: request, delegate: self).resume() }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        guard (200..<300).contains(response.statusCode) else { return task.cancel() }
        state.withLock { $0.statusCode = response.statusCode }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let fits = state.withLock { state in
            guard bytes.count <= sizeLimit - state.body.count else { return false }
            // The span is lent for this call; Data copies out of it.
            unsafe bytes.withUnsafeBufferPointer { unsafe state.body.append($0) }
            return true
        }
        if !fits { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        let (statusCode, body) = state.withLock { ($0.statusCode, $0.body) }
        guard error == nil, let statusCode else { return completion(nil) }
        completion(CourierReply(statusCode: statusCode, body: body))
    }
}
