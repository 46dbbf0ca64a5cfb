// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernTLS

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

    /// What failed, with which value; without the names and the passwords of URLs.
    var message: String { SensitiveFields.withoutUserinfo(text) }

    private var text: String {
        if let failure = error as? any ReportedFailure { return failure.message(asking: url) }
        guard let error = error as? SessionError else { return "\(error)" }
        switch error.reason {
        case .connecting(.unresolved(let failure)): return "cannot resolve \(failure)\(Self.way(error))"
        case .connecting(.unreachable(let failure)): return Self.message(of: failure) + Self.way(error)
        case .connecting(.insecure(let failure)), .transfer(.tls(let failure)):
            guard let refusal = failure.trustFailure else { return "\(failure)\(Self.place(error))" }
            return "\(refusal)\(Self.hint(for: refusal))\(Self.way(error))"
        case .transfer(.redirect(.tooMany(let limit))):
            return "more than \(limit) redirects (--max-redirs)" + (url.map { ", the last one from \($0)" } ?? "")
        case .timedOut(let limit): return message(of: limit) + Self.way(error)
        case .transfer(.connectionLost(nil)): return messageOfLoss(error)
        case .transfer(.webSocket(.closed(let close))) where close.code != .abnormalClosure:
            return "the server closed the WebSocket: \(close)" + Self.way(error)
        case .download(.unsuccessful(let response)):
            return "the server answered \(response.statusCode)" + (url.map { " to \($0)" } ?? "")
        default: return "\(error.reason)\(Self.place(error))"
        }
    }

    /// A key of an authority is none for --pinnedpubkey, whose form is curl's.
    private static func hint(for failure: TrustFailure) -> String {
        guard failure.pinnedIssuer != nil, let own = failure.seen.first else { return "" }
        let hash = own.publicKey.pin.dropFirst("sha256/".count)
        return
            "; --pinnedpubkey is about the server's own key, here sha256//\(hash), and --pin about every key of the chain"
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
                " of \(DecimalText.short($0 / .seconds(1))) s"
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
                    + Self.way(error)
            } else {
                "the server closed the connection before the body was complete\(Self.way(error))"
            }
        default: "the server closed the connection before its response\(Self.place(error))"
        }
    }

    private static func place(_ error: SessionError) -> String {
        let proxy = error.proxy.map { " through \($0)" } ?? ""
        return error.origin.map { " (\($0.scheme)://\($0.hostField)\(proxy))" } ?? ""
    }

    /// The same for a failure that has its place in words already, unless a proxy led there.
    private static func way(_ error: SessionError) -> String { error.proxy == nil ? "" : place(error) }
}

/// A failure of the command itself that has curl's code.
protocol ReportedFailure: Error {
    var exitStatus: ExitStatus { get }

    /// What failed.
    ///
    /// - Parameter url: the URL that was requested last.
    func message(asking url: String?) -> String
}

extension ReportedFailure {
    func message(asking url: String?) -> String { "\(self)" }
}

/// A value of an option or argument cannot be used, for which curl has a code of its own.
struct CommandFailure: ReportedFailure, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    var exitStatus: ExitStatus { status }

    var description: String { message }

    /// The line for standard error. What was typed, and may be a file by mistake, makes no long one.
    var line: String {
        let text = message.utf8.count > 2000 ? "\(message.prefix(400)) … \(message.suffix(400))" : message
        return "tern: (\(status.rawValue)) \(text)"
    }
}

extension ExitStatus {
    /// Returns curl's exit code.
    init(of error: any Error) {
        self =
            switch error {
            case let error as SessionError: Self.status(of: error)
            case let failure as any ReportedFailure: failure.exitStatus
            default: .failure
            }
    }

    private static func status(of error: SessionError) -> ExitStatus {
        switch error.reason {
        case .request(let failure): status(of: failure)
        case .connecting(let failure): status(of: failure, error)
        case .transfer(let failure): status(of: failure, error)
        case .download(let failure): status(of: failure)
        case .timedOut: .timeLimit
        case .response, .cancelled, .sessionInvalidated, .program: .failure
        case .system: status(ofSystemErrorIn: error.phase)
        }
    }

    private static func status(of failure: SessionError.RequestFailure) -> ExitStatus {
        switch failure {
        case .body(.alreadyUsed): .bodyNotRepeatable
        case .body, .invalid(.unreadableContent): .unreadable
        case .invalid(.unencodable): .usage
        case .invalid(.unsupportedScheme(let scheme)): scheme.isEmpty ? .malformedURL : .failure
        case .invalid: .malformedURL
        case .unauthenticated: .failure
        case .streamClosed: .sending
        case .notCached, .notRecorded: .failure
        case .backgroundSession: .failure
        }
    }

    private static func status(of failure: SessionError.ConnectingFailure, _ error: SessionError) -> ExitStatus {
        switch failure {
        case .queueFull, .circuitOpen: .failure
        // As in curl, an address of the other family is one that cannot be connected to.
        case .unresolved(let failure) where failure.reason == .otherFamily: .noConnection
        case .unresolved(let failure):
            switch error.proxy {
            case let proxy? where proxy.includes(host: failure.host): .unresolvedProxy
            // A host that is resolved here, for a proxy that gets addresses.
            case .some: .proxyHandshake
            case nil: .unresolvedHost
            }
        case .egressRefused, .dialer, .unreachable: .noConnection
        case .socketOption(let error): error.rule == .otherFamily ? .noConnection : .localEnd
        case .insecure(let failure): status(of: failure.reason, in: error.phase)
        // As in curl: a refused CONNECT is a failure to receive.
        case .proxy(.refused), .proxy(.malformedResponse), .proxy(.closed), .proxy(.unexpectedBytes): .receiving
        case .proxy(.unsendable) where error.proxy?.kind.isHTTP != false: .usage
        case .proxy: .proxyHandshake
        // As in curl.
        case .invalidProxy(.variable(_, .scheme)), .invalidProxy(.scheme): .noConnection
        case .invalidProxy: .unresolvedProxy
        }
    }

    private static func status(of reason: TLSError.Reason, in phase: SessionError.Phase) -> ExitStatus {
        switch reason {
        case .trust(let failure): status(of: failure.reason)
        case .noPeerCertificate, .invalidHost: .peerCertificate
        case .clientCertificateRequired: .clientCertificateRequired
        case .invalidConfiguration(.identity), .signing: .clientCertificate
        case .invalidConfiguration(.cipherList), .invalidConfiguration(.cipherSuites), .invalidConfiguration(.groups):
            .algorithms
        default: phase == .head || phase == .body ? .receiving : .handshake
        }
    }

    static func status(of reason: TrustFailure.Reason) -> ExitStatus {
        switch reason.kind {
        case .pin: .pin
        case .status: .certificateStatus
        case .chain, .caller, .session: .peerCertificate
        }
    }

    private static func status(of failure: SessionError.TransferFailure, _ error: SessionError) -> ExitStatus {
        switch failure {
        case .connectionLost(let cause): status(ofLossBecauseOf: cause, error)
        case .tls(let failure): status(of: failure.reason, in: error.phase)
        case .malformedResponse(let broken): status(of: broken.reason)
        case .undecodable: .undecodable
        case .bodyTooLarge, .outOfMemory, .memoryQuotaExceeded: .tooLarge
        case .redirect(let failure): status(of: failure)
        case .upgradeRefused(let status): status >= 400 ? .refusedStatus : .strangeResponse
        case .upgradeNotTaken: .strangeResponse
        case .unreadable(.notEvents(let status, _)): status >= 400 ? .refusedStatus : .strangeResponse
        case .unreadable(.codedEvents): .undecodable
        case .damagedCache, .provider: .unreadable
        case .webSocket(.messageTooLarge): .tooLarge
        case .webSocket(.noPong): .timeLimit
        case .webSocket(.closed): .receiving
        case .webSocket: .strangeResponse
        case .unreadable: .tooLarge
        }
    }

    private static func status(ofLossBecauseOf cause: SystemCallError?, _ error: SessionError) -> ExitStatus {
        if error.phase == .tls { return .handshake }
        if let cause { return cause.call == .send || cause.call == .sendfile ? .sending : .receiving }
        return error.phase == .body ? .partialBody : .emptyResponse
    }

    private static func status(of reason: HTTPProtocolError.Reason) -> ExitStatus {
        switch reason {
        case .statusLine(.notHTTP), .statusLine(.unsupportedVersion): .failure
        case .framing(.transferCoding): .undecodable
        case .chunk, .limit: .receiving
        case .truncated(.beforeResponse), .truncated(.head): .emptyResponse
        case .truncated: .partialBody
        case .request: .usage
        case .statusLine, .field, .framing, .unsolicited, .misuse: .strangeResponse
        }
    }

    private static func status(of failure: RedirectError) -> ExitStatus {
        switch failure {
        case .tooMany, .loop: .redirects
        case .ambiguousLocation: .strangeResponse
        case .malformedLocation, .locationTooLong: .malformedURL
        case .invalidLocation(.unsupportedScheme), .insecure: .failure
        case .invalidLocation: .malformedURL
        case .bodyNotReplayable: .bodyNotRepeatable
        }
    }

    private static func status(of failure: SessionError.DownloadFailure) -> ExitStatus {
        switch failure {
        case .file, .exists, .notRegularFile: .unwritable
        case .unsuccessful: .refusedStatus
        case .wrongPart: .noSuchRange
        case .incomplete: .partialBody
        case .tooLong: .tooLarge
        case .digestMismatch, .digestLength, .noDigest: .failure
        case .resumeData: .badResumeData
        }
    }

    private static func status(ofSystemErrorIn phase: SessionError.Phase) -> ExitStatus {
        switch phase {
        case .request: .unreadable
        case .pool: .failure
        case .resolve: .unresolvedHost
        case .connect: .noConnection
        case .tls: .handshake
        case .head, .body: .receiving
        }
    }
}
