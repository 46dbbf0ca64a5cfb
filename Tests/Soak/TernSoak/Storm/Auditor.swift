// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Asks the server when an unasked response was in the client's socket. If that was before the request could be sent,
/// the client should have seen it; if not, no client could.
final class Auditor: Sendable {
    /// Loopback delivers within the call that sends; what is this close is left undecided.
    private static let margin = Duration.milliseconds(5)

    private let session = Session()
    private let base: String
    private let findings: Findings

    init(server: ServerProcess.Description, findings: Findings) {
        base = "http://127.0.0.1:\(server.ports["plain"] ?? 0)"
        self.findings = findings
    }

    /// When that stray was written; nil if it is not known.
    func written(_ mark: UInt64) async -> MonotonicInstant? {
        guard let request = try? Question.request("\(base)/ledger/\(String(mark, radix: 16))/0"),
            let (data, _) = try? await session.data(for: request),
            let time = Int64(String(decoding: data, as: UTF8.self)), time > 0
        else { return nil }
        return MonotonicInstant(nanoseconds: time)
    }

    func judge(_ question: Question, _ mark: UInt64?, after start: MonotonicInstant) async {
        guard let mark else { return }
        guard let written = await written(mark), written.advanced(by: Self.margin) < start else {
            return findings.noteForged(question, early: nil)
        }
        findings.noteForged(question, early: start.seconds(since: written) * 1000)
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
