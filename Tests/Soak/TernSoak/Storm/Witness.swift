// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

/// A delegate that compares its calls with the question it knows, and counts its ends.
///
/// Under a lock although events come one after another: whether they do is what is to be found out.
final class Witness: SessionTaskDelegate {
    struct Outcome: Sendable {
        var error: SessionError?
        var forged: UInt64?
        var acquired: MonotonicInstant?
    }

    private struct State {
        var report: WorkerReport
        var finish: (@Sendable (Outcome) -> Void)?
    }

    private let state: Lock<State>
    private let findings: Findings
    private let question: Question

    /// `finish` is called for the first end only, on whatever thread that comes on.
    init(_ question: Question, _ findings: Findings, finish: @escaping @Sendable (Outcome) -> Void) {
        self.question = question
        self.findings = findings
        state = Lock(State(report: WorkerReport(question), finish: finish))
    }

    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {
        state.withLock { $0.report.informational() }
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        state.withLock { $0.report.head(response) }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        state.withLock { $0.report.bytes(bytes) }
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
        state.withLock { $0.report.trailers() }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let (report, finish) = state.withLock { state in
            state.report.end(isComplete: error == nil)
            return (state.report, state.finish.take())
        }
        findings.note(report)
        finish?(
            Outcome(
                error: error, forged: error == nil ? report.forged : nil,
                acquired: task.metrics?.connectionAcquired))
    }
}
