// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1
public import TernIO

/// Why a task failed: the cause, the phase, the peer, and whether a retry is safe.
public struct SessionError: Error, Sendable {
    // An error is returned by value through many functions, so it is one reference.
    private let storage: Storage

    /// The cause.
    public var reason: Reason { storage.reason }
    /// The phase of the task.
    public var phase: Phase { storage.phase }
    /// The requested origin, such as `https://example.com`; nil if the request had none.
    public var origin: HTTPOrigin? { storage.origin }
    /// The host of ``origin``, in lower case and without brackets.
    public var host: String? { origin?.host }
    /// The peer's address, once there is a connection; a Unix domain socket also without one.
    public var remoteAddress: TransportAddress? { storage.remoteAddress }
    /// Whether any byte of the request may have reached the server.
    public var wasSent: Bool { storage.wasSent }
    /// Whether a repeat has no further effect: no byte of the request was sent, or its method is idempotent (RFC 9110
    /// §9.2.2), or the request says so (`Idempotency-Key`, ``RetryPolicy/requests-swift.property``). A retry is safe
    /// then, but may fail again.
    public var isSafeToRepeat: Bool { storage.isSafeToRepeat }
    /// The number of bytes of the last hop that had arrived, heads and TLS included.
    public var countOfBytesReceived: Int64 { storage.countOfBytesReceived }
    /// The proxy that the request was to go through, and what named it; nil for none, and for an error that has nothing to
    /// do with a connection.
    public var proxy: ProxyReference? { storage.proxy }
    /// The resume data of an interrupted download, for `Session.downloadTask(withResumeData:)`; nil if it cannot be
    /// resumed.
    public var resumeData: Data? { storage.resumeData }

    /// The retries before this failure, in order: of more than 64 the first 32 and the last 32. The number of the last one
    /// is that of all.
    public var retries: [RetryMetrics] { storage.retries }
    /// Why no retry, or no other one, followed the last attempt; nil if none was asked for.
    public var retryRefusal: RetryRefusal? { storage.retryRefusal }

    /// The whole URL of the request, which no description shows; nil in sessions that do not say it
    /// (``SessionConfiguration/followsURLSession``).
    package var requestURL: URL? { storage.requestURL }

    /// Creates an error, for delegates that end a task for their own reasons.
    public init(
        _ reason: Reason, phase: Phase, origin: HTTPOrigin? = nil, remoteAddress: TransportAddress? = nil,
        wasSent: Bool = false, isSafeToRepeat: Bool? = nil, countOfBytesReceived: Int64 = 0,
        resumeData: Data? = nil, proxy: ProxyReference? = nil, retries: [RetryMetrics] = [],
        retryRefusal: RetryRefusal? = nil
    ) {
        storage = Storage(
            reason, phase, origin, remoteAddress, wasSent: wasSent, isSafeToRepeat: isSafeToRepeat ?? !wasSent,
            countOfBytesReceived: countOfBytesReceived, resumeData: resumeData, proxy: proxy, retries: retries,
            retryRefusal: retryRefusal)
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// The same, for a download that can be resumed.
    func resumable(with data: Data?) -> SessionError {
        data == nil ? self : SessionError(Storage(storage, resumeData: data, requestURL: requestURL))
    }

    /// The same, with the URL of the request.
    package func failing(at url: URL?) -> SessionError {
        SessionError(Storage(storage, resumeData: resumeData, requestURL: url))
    }

    /// The cause. Errors of the caller, the peer and this machine are different cases.
    public enum Reason: Error {
        /// The caller's input cannot be sent.
        case request(RequestFailure)
        /// There is no connection, or none that is trusted.
        case connecting(ConnectingFailure)
        /// The response did not arrive, or was refused.
        case transfer(TransferFailure)
        /// The response did not become the requested file.
        case download(DownloadFailure)
        /// The complete response is not what its caller asked for.
        case response(ResponseFailure)
        /// A timeout passed.
        case timedOut(TimeLimit)
        /// The caller, or the Swift task it ran in, cancelled.
        case cancelled
        /// The session was invalidated.
        case sessionInvalidated
        /// This machine could not do its part, for example because it has run out of descriptors.
        case system(SystemCallError)
        /// An error of the program's own, with a code of URLSession. No request of a session fails with it by itself.
        case program(ProgramFailure)
    }

    /// The phases of a task, in order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Preparing the request.
        case request
        /// Waiting for a connection.
        case pool
        /// Resolving the host name.
        case resolve
        /// Opening a TCP connection.
        case connect
        /// Performing the TLS handshake, and evaluating the server.
        case tls
        /// Sending the request, waiting for the head of the response.
        case head
        /// Receiving the body.
        case body
    }

    /// The limits of `Timeouts`.
    public enum TimeLimit: String, Sendable, Hashable {
        /// ``Timeouts/queue``
        case queue
        /// ``Timeouts/connect``
        case connect
        /// ``SessionConfiguration/challengeTimeout``, for the answer of the session's delegate to a server trust
        /// challenge.
        case sessionChallenge = "session-challenge"
        /// ``SessionConfiguration/challengeTimeout``, for the answer of the task's delegate to a server trust
        /// challenge.
        case taskChallenge = "task-challenge"
        /// ``Timeouts/head``
        case head
        /// ``Timeouts/idle``
        case idle
        /// ``Timeouts/total``
        case total
        /// The timeout of a read from a raw stream.
        case read
        /// The timeout of a write to a raw stream.
        case write

        /// Whether it is the server, or the way to it, that has not done in time what it should: not a queue of this client,
        /// nor a delegate that does not answer.
        var isOfServer: Bool {
            switch self {
            case .connect, .head, .idle, .total, .read, .write: true
            case .queue, .sessionChallenge, .taskChallenge: false
            }
        }
    }
}

extension SessionError: CustomStringConvertible, LocalizedError {
    /// One sentence for a log, in one line: what failed, and with which peer. Contains no header and no part of a URL
    /// beyond its origin, but for ``ResponseFailure``, which shows the path and the first bytes of the body; a file is named
    /// where it is the cause.
    public var description: String {
        let text = reason.dependsOnPhase ? "\(reason) \(phase.activity)" : "\(reason)"
        var place: [String] = []
        if let origin {
            if !reason.names(origin) { place.append("\(origin.scheme)://\(origin.hostField.excerpt)") }
            if let proxy { place.append("through \(proxy)") }
            let endpoint = proxy?.server.endpoint ?? origin.endpoint
            if let remoteAddress, "\(remoteAddress)" != endpoint { place.append("at \(remoteAddress)") }
        }
        let sentence = place.isEmpty ? text : "\(text) (\(place.joined(separator: " ")))"
        return (retries.isEmpty ? sentence : "\(sentence), after \(retries.summary)") + refusal
    }

    /// What kept a policy that makes retries from another one.
    private var refusal: String {
        switch retryRefusal {
        case nil, .notTemporary, .off, .attempts: ""
        case let refusal?: "; no retry: \(refusal.rawValue)"
        }
    }

    /// The description; nil for an error of the program's own, which has what its `userInfo` says.
    public var errorDescription: String? { if case .program = reason { nil } else { description } }
}

extension SessionError.Phase {
    /// What the task was doing, after the sentence that says what failed.
    fileprivate var activity: String {
        switch self {
        case .request: "before the request was sent"
        case .pool: "while it waited for a connection"
        case .resolve: "while the host name was resolved"
        case .connect: "while it connected"
        case .tls: "during the TLS handshake"
        case .head: "before the response"
        case .body: "during the body"
        }
    }
}

extension HTTPOrigin {
    /// As an address is written.
    fileprivate var endpoint: String { host.contains(":") ? "[\(certifiedHost)]:\(port)" : "\(host):\(port)" }
}

extension SessionError.Reason {
    /// Whether the phase adds to the description.
    fileprivate var dependsOnPhase: Bool {
        switch self {
        case .cancelled, .timedOut(.total), .timedOut(.idle): true
        case .request, .connecting, .transfer, .download, .response, .timedOut, .sessionInvalidated, .system, .program:
            false
        }
    }

    /// Whether the description has the host already.
    fileprivate func names(_ origin: HTTPOrigin) -> Bool {
        switch self {
        case .connecting(.unresolved(let error)): error.host == origin.host
        case .connecting(.circuitOpen(let circuit)): circuit.origin == origin
        case .connecting(.egressRefused(let violation)): violation.address == nil && violation.host == origin.host
        case .transfer(.redirect(.loop(let other))): other == origin
        case .connecting(.insecure(let error)), .transfer(.tls(let error)): error.trustFailure != nil
        case .connecting(.unreachable(let error)):
            error.attempts.contains { "\($0.address)" == origin.endpoint }
        case .response(let failure): failure.response.url != nil
        case .request, .connecting, .transfer, .download, .timedOut, .cancelled, .sessionInvalidated, .system,
            .program:
            false
        }
    }
}

extension SessionError.Reason: CustomStringConvertible {
    /// The rule that decided, within ``kind``, in words: that of a standard, a limit or a policy, or the text of the
    /// system for an error number. The set is open, so decide by the case and log this.
    public var rule: String {
        switch self {
        case .request(let failure): failure.rule
        case .connecting(let failure): failure.rule
        case .transfer(let failure): failure.rule
        case .download(let failure): failure.rule
        case .response(let failure): failure.rule
        case .timedOut(let limit): limit.rawValue
        case .cancelled, .sessionInvalidated, .program: description
        case .system(let error): error.message
        }
    }

    public var description: String {
        switch self {
        case .request(let failure): "\(failure)"
        case .connecting(let failure): "\(failure)"
        case .transfer(let failure): "\(failure)"
        case .download(let failure): "\(failure)"
        case .response(let failure): "\(failure)"
        case .timedOut(.sessionChallenge): "the session's delegate did not answer the server trust challenge in time"
        case .timedOut(.taskChallenge): "the task's delegate did not answer the server trust challenge in time"
        case .timedOut(let limit): "the \(limit.rawValue) time limit passed"
        case .cancelled: "cancelled"
        case .sessionInvalidated: "the session is gone: keep it, or its manager, until its tasks have ended"
        case .system(let error): "\(error)"
        case .program(let failure): "\(failure)"
        }
    }
}

/// The contents of an error.
private final class Storage: Sendable {
    let reason: SessionError.Reason
    let phase: SessionError.Phase
    let origin: HTTPOrigin?
    let remoteAddress: TransportAddress?
    let wasSent: Bool
    let isSafeToRepeat: Bool
    let countOfBytesReceived: Int64
    let resumeData: Data?
    let proxy: ProxyReference?
    let retries: [RetryMetrics]
    let retryRefusal: RetryRefusal?
    let requestURL: URL?

    init(
        _ reason: SessionError.Reason, _ phase: SessionError.Phase, _ origin: HTTPOrigin?,
        _ remoteAddress: TransportAddress?,
        wasSent: Bool, isSafeToRepeat: Bool, countOfBytesReceived: Int64, resumeData: Data?, proxy: ProxyReference?,
        retries: [RetryMetrics], retryRefusal: RetryRefusal?
    ) {
        self.reason = reason
        self.phase = phase
        self.origin = origin
        self.remoteAddress = remoteAddress
        self.wasSent = wasSent
        self.isSafeToRepeat = isSafeToRepeat
        self.countOfBytesReceived = countOfBytesReceived
        self.resumeData = resumeData
        self.proxy = proxy
        (self.retries, self.retryRefusal) = (retries, retryRefusal)
        requestURL = nil
    }

    init(_ other: Storage, resumeData: Data?, requestURL: URL?) {
        (reason, phase, origin, remoteAddress) = (other.reason, other.phase, other.origin, other.remoteAddress)
        (wasSent, isSafeToRepeat) = (other.wasSent, other.isSafeToRepeat)
        (countOfBytesReceived, proxy, retries) = (other.countOfBytesReceived, other.proxy, other.retries)
        retryRefusal = other.retryRefusal
        (self.resumeData, self.requestURL) = (resumeData, requestURL)
    }
}

extension SessionError {
    /// The kinds of errors: one for each case of ``SessionError/Reason-swift.enum``, or of the group within it. The raw
    /// value is the word that `tern get --report-json` prints.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An invalid request.
        case invalidRequest = "invalid-request"
        /// The content of the request could not be sent.
        case requestBody = "request-content"
        /// The request could not be authenticated.
        case unauthenticated
        /// A raw stream was closed.
        case streamClosed = "stream-closed"
        /// No stored response answers the request, and it may not be sent.
        case notCached = "not-cached"
        /// The session plays a cassette, which has no response to the request.
        case notRecorded = "not-recorded"
        /// The session is a background session, which Linux does not have.
        case backgroundSession = "background-session"
        /// Too many requests wait for a connection.
        case queueFull = "queue-full"
        /// The circuit breaker holds requests to the server back.
        case circuitOpen = "circuit-open"
        /// The egress policy refused the server.
        case egressRefused = "egress-refused"
        /// The host name has no address.
        case unresolved
        /// No address accepted a connection.
        case unreachable
        /// A dialer gave no connection.
        case dialer
        /// An option of the socket cannot be set.
        case socketOption = "socket-option"
        /// TLS failed, for another reason than a refused certificate.
        case tls
        /// The server's certificates were refused.
        case trust
        /// A proxy opened no tunnel, or the setting for the URL names none.
        case proxy
        /// The connection was lost.
        case connectionLost = "connection-lost"
        /// The response violates HTTP/1.1.
        case malformedResponse = "malformed-response"
        /// The body could not be decoded.
        case undecodable
        /// The body is larger than the limit for collecting it.
        case bodyTooLarge = "body-too-large"
        /// The system has no memory for the body.
        case outOfMemory = "out-of-memory"
        /// The collected bodies together exceed the limit for them.
        case memoryQuotaExceeded = "memory-quota-exceeded"
        /// A redirect was not followed.
        case redirect
        /// The server switched to a protocol that was not taken over.
        case upgradeNotTaken = "upgrade-not-taken"
        /// The server did not switch to the requested protocol.
        case upgradeRefused = "upgrade-refused"
        /// A line of the body is too long.
        case lineTooLong = "line-too-long"
        /// A character of the body is too long.
        case characterTooLong = "character-too-long"
        /// A line of the body could not be decoded.
        case lineUndecodable = "line-undecodable"
        /// An event is too large.
        case eventTooLarge = "event-too-large"
        /// A WebSocket could not be opened, or has failed.
        case webSocket = "web-socket"
        /// The response is no event stream.
        case notEvents = "not-events"
        /// The event stream is coded.
        case codedEvents = "coded-events"
        /// A file could not be created, written, read or renamed.
        case file
        /// The target of a download exists.
        case fileExists = "file-exists"
        /// The target of a download is not a regular file.
        case notRegularFile = "not-a-regular-file"
        /// The status is not a success.
        case httpStatus = "http-status"
        /// A body, or the data of an event, is not the value that was to be decoded.
        case valueUndecodable = "value-undecodable"
        /// The server sent another part than requested.
        case wrongPart = "wrong-part"
        /// The file is longer than the part that arrived.
        case incomplete
        /// The file is longer than its limit.
        case tooLong = "too-long"
        /// The content does not match its digest.
        case digestMismatch = "digest-mismatch"
        /// The response has no supported digest.
        case noDigest = "no-digest"
        /// A stored response is damaged.
        case damagedCache = "damaged-cache"
        /// ``SessionError/TransferFailure/provider(_:)``
        case provider
        /// The resume data cannot be used.
        case resumeData = "resume-data"
        /// A timeout passed.
        case timedOut = "timed-out"
        /// The caller cancelled.
        case cancelled
        /// The session was invalidated.
        case sessionInvalidated = "session-invalidated"
        /// This machine could not do its part.
        case system
        /// An error of the program's own.
        case program
    }
}

extension SessionError.Kind: CustomStringConvertible {
    public var description: String { rawValue }
}

extension SessionError.Reason {
    /// The kind of error, for statistics and scripts.
    public var kind: SessionError.Kind {
        switch self {
        case .request(let failure): failure.kind
        case .connecting(let failure): failure.kind
        case .transfer(let failure): failure.kind
        case .download(let failure): failure.kind
        case .response(let failure): failure.kind
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .sessionInvalidated: .sessionInvalidated
        case .system: .system
        case .program: .program
        }
    }
}
