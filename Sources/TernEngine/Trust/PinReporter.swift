// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernLock

/// Reports servers that do not match their pin sets: at most once a day for each rule, host and key, and never on a
/// reactor's thread.
///
/// Reports are sent without pins: a wrong pin must not prevent its own report.
final class PinReporter: Sendable {
    private struct State {
        var limiter = PinReportLimiter()
        var requestSender: (any RequestSender)?
    }

    /// A collector's response is ignored.
    private static let sizeLimit = 64 << 10
    private static let timeLimit = Duration.seconds(30)

    private let state: Lock<State>

    init(requestSender: any RequestSender) { state = Lock(State(requestSender: requestSender)) }

    /// Forgets earlier reports: new pins, new reports.
    func reset() { state.withLock { $0.limiter = PinReportLimiter() } }

    /// Releases the sender; pending reports retain it until they have been sent.
    func close() {
        // The last release must not run under the lock.
        _ = state.withLock { $0.requestSender.take() }
    }

    /// Any thread may call it; it returns at once.
    func send(_ report: PinFailureReport, to observer: (@Sendable (PinFailureReport) -> Void)?) {
        guard observer != nil || !report.pinSet.reportURLs.isEmpty else { return }
        let (isNew, requestSender) = state.withLock {
            ($0.limiter.admits(PinReportLimiter.Subject(report), at: Timestamp.current), $0.requestSender)
        }
        guard isNew else { return }
        Task.detached(priority: .utility) {
            observer?(report)
            if let requestSender { Self.post(report, by: requestSender) }
        }
    }

    /// A report that fails is dropped: there is no caller to report it to.
    private static func post(_ report: PinFailureReport, by requestSender: any RequestSender) {
        guard !report.pinSet.reportURLs.isEmpty, let body = try? PinReportBody(report).json() else { return }
        for url in report.pinSet.reportURLs.compactMap({ URL(escaping: $0) }) {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            requestSender.send(request, sizeLimit: sizeLimit, timeLimit: timeLimit) { _ in
                withExtendedLifetime(requestSender) {}
            }
        }
    }
}
