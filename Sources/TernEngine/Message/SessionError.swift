// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1
public import TernIO

/// Why a task failed: what went wrong, in which phase, with which peer, and whether asking again is safe.
public struct SessionError: Error, Sendable {
    // An error is returned by value through many functions: one reference, and not all this.
    private let account: Account

    /// What went wrong.
    public var reason: Reason { account.reason }
    /// How far the task had come.
    public var phase: Phase { account.phase }
    /// The origin that was asked, such as `https://example.com`; nil when the request had none.
    public var origin: HTTPOrigin? { account.origin }
    /// The address spoken to, once there is a connection; a Unix domain socket also if there came to be none.
    public var remoteAddress: TransportAddress? { account.remoteAddress }
    /// Whether any byte of the request may have reached the server.
    public var wasSent: Bool { account.wasSent }
    /// Whether a repeat does not do anything twice: nothing of the request was sent, or its method is idempotent (RFC
    /// 9110 §9.2.2), or it says so itself (`Idempotency-Key`, ``RepeatPolicy/always``). A retry is safe then, but may
    /// fail again.
    public var isSafeToRepeat: Bool { account.isSafeToRepeat }
    /// Octets of the last hop that had come, heads and TLS included.
    public var bytesReceived: UInt64 { account.bytesReceived }
    /// What a download that broke off can be resumed with, for `Session.downloadTask(withResumeData:)`; nil where it
    /// cannot be.
    public var resumeData: Data? { account.resumeData }

    /// For delegates, which may have reasons of their own to end a task.
    public init(
        _ reason: Reason, phase: Phase, origin: HTTPOrigin? = nil, remoteAddress: TransportAddress? = nil,
        wasSent: Bool = false, isSafeToRepeat: Bool? = nil, bytesReceived: UInt64 = 0,
        resumeData: Data? = nil
    ) {
        account = Account(
            reason, phase, origin, remoteAddress, wasSent: wasSent, isSafeToRepeat: isSafeToRepeat ?? !wasSent,
            bytesReceived: bytesReceived, resumeData: resumeData)
    }

    /// The same, of a download that can be resumed.
    func resumable(with data: Data?) -> SessionError {
        data == nil
            ? self
            : SessionError(
                reason, phase: phase, origin: origin, remoteAddress: remoteAddress, wasSent: wasSent,
                isSafeToRepeat: isSafeToRepeat, bytesReceived: bytesReceived, resumeData: data)
    }

    /// What went wrong. What the caller did, what the peer did and what this machine did are different cases.
    public enum Reason: Error {
        /// What the caller gave cannot be sent.
        case request(RequestFailure)
        /// There is no connection, or none that may be trusted.
        case connecting(ConnectingFailure)
        /// The response did not come, or is not taken.
        case transfer(TransferFailure)
        /// The response did not become the file it was to be.
        case download(DownloadFailure)
        /// A time limit passed.
        case timedOut(TimeLimit)
        /// The caller, or the Swift task it ran in, cancelled.
        case cancelled
        /// The session is gone.
        case sessionInvalidated
        /// This machine could not do its part, such as when descriptors have run out.
        case system(SystemCallError)
    }

    /// Where a task is on its way, in order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Making the request ready.
        case request
        /// Waiting for a connection.
        case pool
        /// Turning the host name into addresses.
        case resolve
        /// Opening a TCP connection.
        case connect
        /// Shaking hands, and trusting.
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
        /// What a read from a raw stream was given.
        case read
        /// What a write to a raw stream was given.
        case write
    }
}

extension SessionError: CustomStringConvertible {
    /// One line for a log: what failed, where, and with which peer. Holds no header and no part of a URL beyond its
    /// origin.
    public var description: String {
        var text = "\(phase.rawValue): \(reason)"
        if let origin { text += " (\(origin.scheme)://\(origin.hostField.excerpt)" }
        if let remoteAddress { text += " at \(remoteAddress)" }
        if origin != nil { text += ")" }
        return text
    }
}

extension SessionError.Reason: CustomStringConvertible {
    /// A stable word for the case, or for the one in its group, as in `tern get --json`.
    public var kind: String {
        switch self {
        case .request(let failure): failure.kind
        case .connecting(let failure): failure.kind
        case .transfer(let failure): failure.kind
        case .download(let failure): failure.kind
        case .timedOut: "timed-out"
        case .cancelled: "cancelled"
        case .sessionInvalidated: "session-invalidated"
        case .system: "system"
        }
    }

    /// The rule that decided, within `kind`.
    public var rule: String {
        switch self {
        case .request(let failure): failure.rule
        case .connecting(let failure): failure.rule
        case .transfer(let failure): failure.rule
        case .download(let failure): failure.rule
        case .timedOut(let limit): limit.rawValue
        case .cancelled, .sessionInvalidated: description
        case .system(let error): error.message
        }
    }

    public var description: String {
        switch self {
        case .request(let failure): "\(failure)"
        case .connecting(let failure): "\(failure)"
        case .transfer(let failure): "\(failure)"
        case .download(let failure): "\(failure)"
        case .timedOut(.sessionChallenge): "the session's delegate did not answer the server trust challenge in time"
        case .timedOut(.taskChallenge): "the task's delegate did not answer the server trust challenge in time"
        case .timedOut(let limit): "the \(limit.rawValue) time limit passed"
        case .cancelled: "cancelled"
        case .sessionInvalidated: "the session is gone"
        case .system(let error): "\(error)"
        }
    }
}

/// What an error tells.
private final class Account: Sendable {
    let reason: SessionError.Reason
    let phase: SessionError.Phase
    let origin: HTTPOrigin?
    let remoteAddress: TransportAddress?
    let wasSent: Bool
    let isSafeToRepeat: Bool
    let bytesReceived: UInt64
    let resumeData: Data?

    init(
        _ reason: SessionError.Reason, _ phase: SessionError.Phase, _ origin: HTTPOrigin?,
        _ remoteAddress: TransportAddress?,
        wasSent: Bool, isSafeToRepeat: Bool, bytesReceived: UInt64, resumeData: Data?
    ) {
        self.reason = reason
        self.phase = phase
        self.origin = origin
        self.remoteAddress = remoteAddress
        self.wasSent = wasSent
        self.isSafeToRepeat = isSafeToRepeat
        self.bytesReceived = bytesReceived
        self.resumeData = resumeData
    }
}
