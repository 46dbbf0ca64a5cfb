// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// What a storm has brought to light so far.
final class Findings: Sendable {
    struct Counts: Codable, Sendable {
        var requests = 0
        var complete = 0
        var errors: [String: Int] = [:]
        var wrongBodies = 0
        var disorders = 0
        /// Answered by a response that lay in the socket before the request was made.
        var forgedBefore = 0
        /// Answered by an unasked response that may have arrived after the request: undecidable.
        var forgedUndecidable = 0
        var hangs = 0
        /// The longest time between a task's time limit, or its cancellation, and its end; in milliseconds.
        var latest = 0.0
    }

    private let state = Lock(Counts())

    var counts: Counts { state.withLock { $0 } }

    func begin() { state.withLock { $0.requests += 1 } }

    func end(_ error: SessionError?, late: Double) {
        let kind = error.map { "\($0.phase.rawValue)/\($0.reason.kind)" }
        state.withLock { counts in
            if let kind { counts.errors[kind, default: 0] += 1 } else { counts.complete += 1 }
            counts.latest = max(counts.latest, late)
        }
    }

    func note(_ report: WorkerReport) {
        for flaw in report.flaws {
            switch flaw {
            case .wrongBody(let text):
                state.withLock { $0.wrongBodies += 1 }
                Self.tell("wrong body: \(report.question): \(text)")
            case .disorder(let text):
                state.withLock { $0.disorders += 1 }
                Self.tell("out of order: \(report.question): \(text)")
            }
        }
    }

    func noteForged(_ question: Question, early milliseconds: Double?) {
        guard let milliseconds else { return state.withLock { $0.forgedUndecidable += 1 } }
        state.withLock { $0.forgedBefore += 1 }
        Self.tell("forged: \(question): answered by what had lain in the socket for \(milliseconds) ms")
    }

    func noteHang(_ text: String) {
        let count = state.withLock { counts in
            counts.hangs += 1
            return counts.hangs
        }
        if count <= 10 { Self.tell("overdue: \(text)") }
    }

    static func tell(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
}
