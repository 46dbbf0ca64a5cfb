// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// The delegate behind `Session.data(for:)` and behind tasks with a completion handler.
///
/// Written before `resume()` and then by the reactor's thread only, which is what `@unchecked Sendable` rests on. Whoever
/// listens is told once because a task completes once, which is its proof of `@safe`.
@safe
final class DataCollector: SessionTaskDelegate, @unchecked Sendable {
    typealias Outcome = Result<(Data, HTTPURLResponse), EngineError>

    @safe
    private enum Listener {
        case nobody
        case continuation(UnsafeContinuation<Outcome, Never>)
        case handler(@Sendable (Outcome) -> Void)
    }

    private var body: BodyAccumulator
    private var response: HTTPURLResponse?
    private var listener = Listener.nobody

    init(limit: Int) {
        body = BodyAccumulator(limit: limit)
    }

    init(limit: Int, _ completionHandler: @escaping @Sendable (Outcome) -> Void) {
        body = BodyAccumulator(limit: limit)
        listener = .handler(completionHandler)
    }

    func start(_ task: SessionTask, _ continuation: UnsafeContinuation<Outcome, Never>) {
        unsafe listener = .continuation(continuation)
        task.resume()
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        self.response = response
        guard let length = response.bodyLength(answering: task.originalRequest) else { return }
        if body.admits(length) { return body.reserve(length) }
        body.refuse()
        task.cancel()
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if body.take(bytes) == .overflowed { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        let listener = listener
        self.listener = .nobody
        switch listener {
        case .nobody: break
        case .continuation(let continuation): unsafe continuation.resume(returning: outcome(of: task, error))
        case .handler(let handler): handler(outcome(of: task, error))
        }
    }

    private func outcome(of task: SessionTask, _ error: EngineError?) -> Outcome {
        if body.isTooLarge { return .failure(task.error(.bodyTooLarge(limit: body.limit), phase: .body)) }
        if let error { return .failure(error) }
        guard let response else { return .failure(task.error(.connectionLost(nil), phase: .head)) }
        return .success((body.takeAll(), response))
    }
}
