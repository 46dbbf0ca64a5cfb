// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// The delegate behind `Session.data(for:)`.
///
/// Written before `resume()` and then by the reactor's thread only, which is what `@unchecked Sendable` rests on. The
/// continuation is resumed once because a task completes once, which is its proof of `@safe`.
@safe
final class DataCollector: SessionTaskDelegate, @unchecked Sendable {
    typealias Outcome = Result<(Data, HTTPURLResponse), EngineError>

    private var body: BodyAccumulator
    private var response: HTTPURLResponse?
    private var continuation: UnsafeContinuation<Outcome, Never>?

    init(limit: Int) {
        body = BodyAccumulator(limit: limit)
    }

    func start(_ task: SessionTask, _ continuation: UnsafeContinuation<Outcome, Never>) {
        unsafe self.continuation = continuation
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
        guard let continuation = unsafe continuation else { return }
        unsafe self.continuation = nil
        let outcome: Outcome
        if body.isTooLarge {
            outcome = .failure(task.error(.bodyTooLarge(limit: body.limit), phase: .body))
        } else if let error {
            outcome = .failure(error)
        } else if let response {
            outcome = .success((body.takeAll(), response))
        } else {
            outcome = .failure(task.error(.connectionLost(nil), phase: .head))
        }
        unsafe continuation.resume(returning: outcome)
    }
}
