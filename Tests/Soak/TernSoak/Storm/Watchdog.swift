// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// Knows every running request and when it must be over: after its timeout or cancellation, and a margin.
final class Watchdog: Sendable {
    private struct Entry {
        let question: Question
        let due: MonotonicInstant
        var isReported = false
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var isOver = false
    }

    private let state = Lock(State())
    private let findings: Findings
    private let patience: Duration

    init(_ findings: Findings, patience: Duration) {
        self.findings = findings
        self.patience = patience
        Thread.detachNewThread { [self] in
            while !state.withLock(\.isOver) {
                look()
                usleep(200_000)
            }
        }
    }

    func end() { state.withLock { $0.isOver = true } }

    func begin(_ question: Question, due: MonotonicInstant) {
        findings.begin()
        state.withLock { $0.entries[question.nonce] = Entry(question: question, due: due) }
    }

    func end(_ question: Question, _ error: SessionError?) {
        let now = MonotonicInstant.now
        let entry = state.withLock { $0.entries.removeValue(forKey: question.nonce) }
        findings.end(error, late: entry.map { max(0, now.seconds(since: $0.due) * 1000) } ?? 0)
    }

    var pendingCount: Int { state.withLock { $0.entries.count } }

    private func look() {
        let now = MonotonicInstant.now
        let overdue = state.withLock { state in
            let overdue = state.entries.values.filter { !$0.isReported && $0.due.advanced(by: patience) < now }
            for entry in overdue { state.entries[entry.question.nonce]?.isReported = true }
            return overdue.map { "\($0.question) is overdue by \(now.seconds(since: $0.due)) s" }
        }
        for text in overdue { findings.noteHang(text) }
    }
}
