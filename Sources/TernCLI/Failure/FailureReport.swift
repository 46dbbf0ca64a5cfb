// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// The line on standard error about a failed request: curl's code, what failed, and with which value.
struct FailureReport {
    let error: any Error
    /// The timeouts of the request.
    var timeouts: Timeouts?
    /// The URL that was requested last.
    var url: String?
    /// The number of body bytes received.
    var received: Int?
    /// The announced number of body bytes; nil if there is none, or they cannot be compared.
    var expected: Int?

    var status: ExitStatus { ExitStatus(of: error) }

    var line: String { "tern: (\(status.rawValue)) \(message)" }

    /// What failed, with which value.
    var message: String {
        if let failure = error as? any ReportedFailure { return failure.message(asking: url) }
        guard let error = error as? SessionError else { return "\(error)" }
        switch error.reason {
        case .connecting(.unresolved(let failure)): return "cannot resolve \(failure)"
        case .connecting(.unreachable(let failure)): return Self.message(of: failure)
        case .connecting(.insecure(let failure)), .transfer(.tls(let failure)):
            return "\(failure)" + (failure.trustFailure == nil ? Self.place(error) : "")
        case .transfer(.redirect(.tooMany(let limit))):
            return "more than \(limit) redirects (--max-redirs)" + (url.map { ", the last one from \($0)" } ?? "")
        case .timedOut(let limit): return message(of: limit)
        case .transfer(.connectionLost(nil)): return messageOfLoss(error)
        case .download(.unsuccessful(let response)):
            return "the server answered \(response.statusCode)" + (url.map { " to \($0)" } ?? "")
        default: return "\(error.reason)\(Self.place(error))"
        }
    }

    private static func message(of failure: ConnectError) -> String {
        let attempts = failure.attempts.map { attempt in
            "\(attempt.address): \(attempt.error.message.prefix(1).lowercased())\(attempt.error.message.dropFirst())"
        }
        return "cannot connect to " + attempts.joined(separator: "; ")
    }

    private func message(of limit: SessionError.TimeLimit) -> String {
        let seconds =
            duration(of: limit).map {
                " of \(($0 / .seconds(1)).formatted(.number.grouping(.never))) s"
            } ?? ""
        let bytes = received.flatMap { $0 > 0 ? " after \($0) bytes of the body" : nil } ?? ""
        return switch limit {
        case .total: "the time limit\(seconds) passed (--max-time)\(bytes)"
        case .connect: "the time limit\(seconds) for a connection passed (--connect-timeout)"
        case .head: "the time limit\(seconds) for the head of the response passed"
        case .idle: "the time limit\(seconds) without progress passed\(bytes)"
        case .queue, .read, .write, .sessionChallenge, .taskChallenge: "\(SessionError.Reason.timedOut(limit))"
        }
    }

    private func duration(of limit: SessionError.TimeLimit) -> Duration? {
        switch limit {
        case .total: timeouts?.total
        case .connect: timeouts?.connect
        case .head: timeouts?.head
        case .idle: timeouts?.idle
        case .queue: timeouts?.queue
        case .read, .write, .sessionChallenge, .taskChallenge: nil
        }
    }

    private func messageOfLoss(_ error: SessionError) -> String {
        switch error.phase {
        case .tls: "the server closed the connection during the TLS handshake\(Self.place(error))"
        case .body:
            if let received, let expected, expected > received {
                "the server closed the connection with \(expected - received) of \(expected) bytes missing"
            } else {
                "the server closed the connection before the body was complete"
            }
        default: "the server closed the connection before its response\(Self.place(error))"
        }
    }

    private static func place(_ error: SessionError) -> String {
        error.origin.map { " (\($0.scheme)://\($0.hostField))" } ?? ""
    }
}
