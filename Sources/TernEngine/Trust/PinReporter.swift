// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernLock

/// Tells about servers that do not meet their pin sets: at most once a day for each rule, host and key, and never on a
/// reactor's thread.
///
/// Reports travel on a session of their own, with the same anchors and without pins: a pin that is wrong must not be what
/// keeps anybody from hearing of it.
final class PinReporter: Sendable {
    private struct State {
        var limiter = PinReportLimiter()
        var session: Session?
    }

    private let configuration: TLSConfiguration
    private let state = Lock(State())

    init(tls configuration: TLSConfiguration) { self.configuration = configuration }

    /// Forgets what has been told already: new pins, new reports.
    func reset() { state.withLock { $0.limiter = PinReportLimiter() } }

    /// Lets go of the session that reports travel on; those under way hold it until they have arrived.
    func close() {
        // The last release must not run under the lock.
        _ = state.withLock { $0.session.take() }
    }

    /// Any thread; returns at once.
    func send(_ report: PinFailureReport, to observer: (@Sendable (PinFailureReport) -> Void)?) {
        guard observer != nil || !report.pinSet.reportURLs.isEmpty else { return }
        let isNew = state.withLock {
            $0.limiter.admits(PinReportLimiter.Subject(report), at: Timestamp.current)
        }
        guard isNew else { return }
        Task.detached(priority: .utility) {
            observer?(report)
            await self.post(report)
        }
    }

    /// Nobody is told when a report fails: there is nobody left to tell.
    private func post(_ report: PinFailureReport) async {
        guard !report.pinSet.reportURLs.isEmpty, let body = try? PinReportBody(report).json() else { return }
        let session = session
        for url in report.pinSet.reportURLs.compactMap({ URL(string: $0) }) {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            _ = try? await session.data(for: request)
        }
    }

    private var session: Session {
        state.withLock { state in
            if let session = state.session { return session }
            var configuration = SessionConfiguration()
            configuration.tls = self.configuration
            // Whoever collects reports is not whom the identity is for, and nobody asked for these secrets.
            configuration.tls.identity = nil
            configuration.tls.keyLog = nil
            configuration.maximumCollectedBodySize = 64 << 10
            configuration.timeouts.total = .seconds(30)
            let session = Session(configuration: configuration)
            state.session = session
            return session
        }
    }
}
