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

    private let limit: Int
    private var data = Data()
    private var response: HTTPURLResponse?
    private var isTooLarge = false
    private var continuation: UnsafeContinuation<Outcome, Never>?

    init(limit: Int) {
        self.limit = limit
    }

    func start(_ task: SessionTask, _ continuation: UnsafeContinuation<Outcome, Never>) {
        unsafe self.continuation = continuation
        task.resume()
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        self.response = response
        guard let length = response.bodyLength(answering: task.originalRequest) else { return }
        if length > limit {
            stop(task)
        } else if length > 16 * 1024 {
            // Half a megabyte on the server's word alone; the rest as it comes.
            data.reserveCapacity(min(length, 512 * 1024))
        }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        guard !isTooLarge else { return }
        guard bytes.count <= limit - data.count else { return stop(task) }
        // The span is lent for this call; Data copies out of it.
        unsafe bytes.withUnsafeBufferPointer { unsafe data.append($0) }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        guard let continuation = unsafe continuation else { return }
        unsafe self.continuation = nil
        let outcome: Outcome
        if isTooLarge {
            outcome = .failure(task.error(.bodyTooLarge(limit: limit), phase: .body))
        } else if let error {
            outcome = .failure(error)
        } else if let response {
            outcome = .success((data, response))
        } else {
            outcome = .failure(task.error(.connectionLost(nil), phase: .head))
        }
        data = Data()
        unsafe continuation.resume(returning: outcome)
    }

    private func stop(_ task: SessionTask) {
        isTooLarge = true
        data = Data()
        task.cancel()
    }
}
