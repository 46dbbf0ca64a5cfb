// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Tern
import TernEngine
import TernLock

/// Takes down everything that happens to one task.
final class Transcript: SessionTaskDelegate {
    struct Contents: Sendable {
        var informational: [Tern.HTTPURLResponse] = []
        var response: Tern.HTTPURLResponse?
        /// Empty where the body is written as it comes.
        var body: BodyAccumulator
        var trailers = HTTPFields()
        var discardedTrailers = HTTPFields()
        var error: (any Error)?
        var metrics: TaskMetrics?
    }

    /// What is to become of the body.
    enum BodyUse: Sendable {
        case write(to: Outlet)
        /// Into the contents, at most so many bytes.
        case collect(limit: Int)
    }

    private struct State {
        var contents: Contents
        var completion: CheckedContinuation<Void, Never>?
    }

    /// How long what has come may take to be written when the task has failed.
    private static let patienceAfterFailure = 1.0

    private let bodyUse: BodyUse
    private let verbose: VerboseReport?
    private let state: Lock<State>

    init(_ bodyUse: BodyUse, verbose: VerboseReport?) {
        self.bodyUse = bodyUse
        self.verbose = verbose
        let limit = if case .collect(let limit) = bodyUse { limit } else { 0 }
        state = Lock(State(contents: Contents(body: BodyAccumulator(limit: limit))))
    }

    var contents: Contents { state.withLock { $0.contents } }

    /// Runs `task` to its end.
    func record(_ task: SessionTask) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.completion = continuation }
            task.resume()
        }
    }

    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
        tell { $0.sending(on: connection) }
    }

    func task(_ task: SessionTask, didReceiveInformational response: Tern.HTTPURLResponse) {
        tell { $0.receiving(response) }
        state.withLock { $0.contents.informational.append(response) }
    }

    func task(_ task: SessionTask, didReceive response: Tern.HTTPURLResponse) {
        tell { $0.receiving(response) }
        state.withLock { $0.contents.response = response }
        if case .write(let outlet) = bodyUse { outlet.open(for: task) }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        switch bodyUse {
        case .write(let outlet): outlet.write(unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }, for: task)
        case .collect: collect(bytes, from: task)
        }
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HTTPFields) {
        tell { $0.receiving(trailers: trailers) }
        state.withLock { $0.contents.trailers = trailers }
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HTTPFields) {
        tell { $0.receiving(discardedTrailers: discarded) }
        state.withLock { $0.contents.discardedTrailers = discarded }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        state.withLock { state in
            state.contents.metrics = task.metrics
            if state.contents.error == nil { state.contents.error = error }
        }
        guard case .write(let outlet) = bodyUse else { return end(nil) }
        outlet.finish(isWhole: error == nil) { self.end($0) }
        guard let patience = Self.patience(with: task, after: error) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
            outlet.abandon()
            self.end(OutputError("the body", .tooSlow))
        }
    }

    private func collect(_ bytes: Span<UInt8>, from task: SessionTask) {
        let isTooMuch = state.withLock { state in
            guard state.contents.body.take(bytes) == .overflowed else { return false }
            state.contents.error = EngineError(
                .bodyTooLarge(limit: state.contents.body.limit), phase: .body, wasSent: true)
            return true
        }
        if isTooMuch { task.cancel() }
    }

    private func tell(_ lines: (VerboseReport) -> [String]) {
        guard let lines = verbose.map(lines) else { return }
        switch bodyUse {
        case .write(let outlet): outlet.tell(lines)
        case .collect: StandardStreams.tell(lines.joined(separator: "\n"))
        }
    }

    /// Nil has no limit: whoever reads slowly gets everything in the end.
    private static func patience(with task: SessionTask, after error: EngineError?) -> Double? {
        if error != nil { return patienceAfterFailure }
        guard let total = task.originalRequest.timeouts?.total, let metrics = task.metrics, let end = metrics.end else {
            return nil
        }
        return max(0, total / .seconds(1) - end.seconds(since: metrics.start))
    }

    /// A task is cancelled only because of what kept its body from being written.
    private func end(_ failure: (any Error)?) {
        let completion = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let completion = state.completion.take() else { return nil }
            if let failure, state.contents.error.map(Self.isCancellation) ?? true { state.contents.error = failure }
            return completion
        }
        completion?.resume()
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        if let error = error as? EngineError, case .cancelled = error.reason { true } else { false }
    }
}
