// SPDX-License-Identifier: Apache-2.0
import TernLock

/// One request of a `RequestSender`: collects the response, up to a limit.
final class SideRequest: SessionTaskDelegate {
    private struct State {
        var statusCode: Int?
        var body: BodyAccumulator
    }

    let request: URLRequest
    private let completion: @Sendable (SideResponse?) -> Void
    private let state: Lock<State>

    /// `completion` is called once, on any thread.
    init(_ request: URLRequest, sizeLimit: Int, completion: @escaping @Sendable (SideResponse?) -> Void) {
        self.request = request
        self.completion = completion
        state = Lock(State(body: BodyAccumulator(limit: sizeLimit)))
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        let length = response.bodyLength(answering: request) ?? 0
        let isWelcome = state.withLock { state in
            guard (200..<300).contains(response.statusCode), state.body.admits(length) else { return false }
            state.statusCode = response.statusCode
            state.body.reserve(length)
            return true
        }
        if !isWelcome { task.cancel() }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if state.withLock({ $0.body.take(bytes) }) == .overflowed { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let (statusCode, body) = state.withLock { ($0.statusCode, $0.body) }
        guard error == nil, !body.isTooLarge, let statusCode else { return completion(nil) }
        completion(SideResponse(statusCode: statusCode, body: body.bytes))
    }
}
