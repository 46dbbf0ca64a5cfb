// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTLS

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

    /// Sends later reports by another sender, unless it is closed.
    func replaceSender(_ sender: any RequestSender) {
        // The last release must not run under the lock.
        var sender: (any RequestSender)? = sender
        state.withLock { state in
            if state.requestSender != nil { swap(&state.requestSender, &sender) }
        }
    }

    /// Releases the sender; pending reports retain it until they have been sent.
    func close() {
        // The last release must not run under the lock.
        _ = state.withLock { $0.requestSender.take() }
    }

    /// Any thread may call it; it returns at once.
    ///
    /// - Parameter route: the settings of the report's route; nil for the session's.
    func send(
        _ report: PinFailureReport, along route: RouteSettings? = nil,
        to observer: (@Sendable (PinFailureReport) -> Void)?
    ) {
        guard observer != nil || !report.pinSet.reportURLs.isEmpty else { return }
        let (isNew, requestSender) = state.withLock {
            ($0.limiter.admits(PinReportLimiter.Subject(report), at: Timestamp.current), $0.requestSender)
        }
        guard isNew else { return }
        WorkThreads.shared.run {
            observer?(report)
            if let requestSender { Self.post(report, along: route, by: requestSender) }
        }
    }

    /// A report that fails is dropped: there is no caller to report it to.
    private static func post(
        _ report: PinFailureReport, along route: RouteSettings?, by requestSender: any RequestSender
    ) {
        guard !report.pinSet.reportURLs.isEmpty, let body = try? PinReportBody(report).json() else { return }
        for url in report.pinSet.reportURLs.compactMap({ URL(escaping: $0) }) {
            var request = URLRequest(url: url)
            request.routeSettings = route
            request.httpMethod = "POST"
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            requestSender.send(request, sizeLimit: sizeLimit, timeLimit: timeLimit) { _ in
                withExtendedLifetime(requestSender) {}
            }
        }
    }
}

/// A report in the form of RFC 7469 §3, with further members: the rule, the verdict and the reason as text.
struct PinReportBody: Encodable {
    private let dateTime: String
    private let hostname: String
    private let port: UInt16
    private let expires: String?
    private let includesSubdomains: Bool
    private let notedHostname: String
    private let servedChain: [String]
    private let validatedChain: [String]
    private let knownPins: [String]
    private let rule: String
    private let isRefused: Bool
    private let message: String

    init(_ report: PinFailureReport) {
        let (result, set) = (report.result, report.pinSet)
        let pattern = set.hosts.first { $0.matches(result.host) }
        dateTime = Timestamp.rfc3339(result.time)
        hostname = result.host
        port = report.port
        expires = set.expires.map(Timestamp.rfc3339)
        includesSubdomains = pattern?.scope == .anyDepth
        notedHostname = pattern?.description ?? result.host
        servedChain = result.sentChain.map(\.pem)
        validatedChain = result.isChainValidated ? result.verifiedChain.map(\.pem) : []
        knownPins = set.allPins.map { "pin-sha256=\"\($0.pin.dropFirst("sha256/".count))\"" }
        rule = report.failure.rule
        isRefused = report.isRefused
        message = report.failure.description
    }

    private enum CodingKeys: String, CodingKey {
        case dateTime = "date-time"
        case hostname, port
        case expires = "effective-expiration-date"
        case includesSubdomains = "include-subdomains"
        case notedHostname = "noted-hostname"
        case servedChain = "served-certificate-chain"
        case validatedChain = "validated-certificate-chain"
        case knownPins = "known-pins"
        case rule
        case isRefused = "refused"
        case message
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

/// Limits reports to one per subject and day. Stores a bounded number of subjects: an application that connects to ten
/// thousand hosts, perhaps because an attacker makes it, must not fill its memory.
struct PinReportLimiter {
    static let interval: Int64 = 86400
    static let capacity = 1024

    /// The subject of a report: after a harmless mismatch in the morning, an attacker's key in the afternoon is
    /// reported as well.
    struct Subject: Hashable {
        let rule: String
        let host: String
        /// The leaf's.
        let key: X509Certificate.PublicKey?
        let pins: [X509Certificate.PublicKey]
        /// Two sets of the same pins may have two collectors.
        let reportURLs: [String]
    }

    private var lastReports: [Subject: Int64] = [:]

    /// - Parameter time: the time of the report, in seconds since 1970-01-01T00:00:00Z. After the clock was set back,
    ///   the next report passes.
    mutating func admits(_ subject: Subject, at time: Int64) -> Bool {
        if let last = lastReports[subject], Self.isRecent(last, at: time) { return false }
        if lastReports.count >= Self.capacity {
            lastReports = lastReports.filter { Self.isRecent($0.value, at: time) }
            guard lastReports.count < Self.capacity else { return false }
        }
        lastReports[subject] = time
        return true
    }

    private static func isRecent(_ last: Int64, at time: Int64) -> Bool {
        let (age, overflows) = time.subtractingReportingOverflow(last)
        return !overflows && (0..<interval).contains(age)
    }
}

extension PinReportLimiter.Subject {
    init(_ report: PinFailureReport) {
        self.init(
            rule: report.failure.rule, host: report.result.host, key: report.result.sentChain.first?.publicKey,
            pins: report.pinSet.allPins, reportURLs: report.pinSet.reportURLs)
    }
}
