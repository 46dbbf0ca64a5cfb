// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernLock

/// One request, run to its end, and what it was like.
struct RecordedTask: Sendable {
    let status: Int?
    let body: Data
    let error: SessionError?
    let metrics: TaskMetrics?

    var tls: TLSInfo? { metrics?.connection?.tls }
    var retryCauses: [String] { metrics?.retries.map(\.cause.description) ?? [] }
    var pins: [String] { metrics?.connection?.publicKeyPins ?? [] }

    static func run(_ session: Session, _ url: String) async throws -> RecordedTask {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        return await run(session, Tern.URLRequest(url: url))
    }

    /// - Parameter act: called before each retry.
    static func run(
        _ session: Session, _ request: Tern.URLRequest, beforeRetry act: @escaping @Sendable () -> Void = {}
    ) async -> RecordedTask {
        let recorder = Recorder(act)
        return await recorder.record(session.dataTask(with: request, delegate: recorder))
    }
}

private final class Recorder: SessionTaskDelegate {
    private struct State {
        var status: Int?
        var body = Data()
        var completion: CheckedContinuation<RecordedTask, Never>?
    }

    private let state = Lock(State())
    private let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) { self.act = act }

    func record(_ task: SessionTask) async -> RecordedTask {
        await withCheckedContinuation { continuation in
            state.withLock { $0.completion = continuation }
            task.resume()
        }
    }

    func task(_ task: SessionTask, willRetry retry: RetryMetrics, _ question: DelegateQuestion<RetryAnswer>) {
        act()
        question.answer(.retry)
    }

    func task(_ task: SessionTask, didReceive response: Tern.HTTPURLResponse) {
        state.withLock { $0.status = response.statusCode }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let data = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
        state.withLock { $0.body.append(data) }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let (state, completion) = state.withLock { ($0, $0.completion.take()) }
        completion?.resume(
            returning: RecordedTask(status: state.status, body: state.body, error: error, metrics: task.metrics))
    }
}
