// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
public import TernTLS

/// Why a task failed: what went wrong, in which phase, with whom, and whether asking again is safe.
public struct EngineError: Error, Sendable {
    /// What went wrong.
    public let reason: Reason
    /// How far the task had come.
    public let phase: Phase
    /// The origin that was asked, such as `https://example.com`; nil when the request had none.
    public let origin: Origin?
    /// The address spoken to, once there is a connection; a Unix domain socket also if there came to be none.
    public let remoteAddress: SocketAddress?
    /// Whether any byte of the request may have reached the server.
    public let wasSent: Bool
    /// Whether the request may be sent again and nothing happens twice: nothing of it was sent, or its method is idempotent
    /// (RFC 9110 §9.2.2), or it says so itself (`Idempotency-Key`, ``RepeatPolicy/always``). Nobody promises that it helps.
    public let isSafeToRepeat: Bool
    /// Octets of the last hop that had come, heads and TLS included.
    public let bytesReceived: UInt64

    /// For delegates, which may have reasons of their own to end a task.
    public init(
        _ reason: Reason, phase: Phase, origin: Origin? = nil, remoteAddress: SocketAddress? = nil,
        wasSent: Bool = false, isSafeToRepeat: Bool? = nil, bytesReceived: UInt64 = 0
    ) {
        self.reason = reason
        self.phase = phase
        self.origin = origin
        self.remoteAddress = remoteAddress
        self.wasSent = wasSent
        self.isSafeToRepeat = isSafeToRepeat ?? !wasSent
        self.bytesReceived = bytesReceived
    }

    /// What went wrong. What the caller did, what the peer did and what this machine did are different cases.
    public enum Reason: Error {
        /// The request cannot be sent as it is. Nothing was.
        case invalidRequest(InvalidRequest)
        /// The host name has no address.
        case unresolved(ResolveError)
        /// None of the host's addresses accepted a connection.
        case unreachable(ConnectError)
        /// TLS failed. For a refused certificate, `TLSError` says which rule refused it.
        case insecure(TLSError)
        /// The peer broke HTTP/1.1.
        case malformedResponse(HTTP1Error)
        /// The connection ended before the response did; nil when the peer closed it in order.
        case connectionLost(SystemError?)
        /// The request's content could not be sent whole.
        case content(RequestContentError)
        /// The response's body is not what its `Content-Encoding` says, or costs more than is allowed.
        case undecodable(ContentDecodingError)
        /// A redirect was not followed.
        case redirect(RedirectError)
        /// A time limit passed.
        case timedOut(TimeLimit)
        /// A body that was to be collected in memory exceeds `maximumCollectedBodySize`, in bytes.
        case bodyTooLarge(limit: Int)
        /// The server switched to another protocol, as the request had asked, and there is nobody to speak it. A switch that no
        /// request asked for is a `malformedResponse`.
        case upgradeNotTaken
        /// As many requests as allowed wait for a connection already.
        case queueFull(limit: Int)
        /// The caller, or the Swift task it ran in, cancelled.
        case cancelled
        /// The session is gone.
        case sessionInvalidated
        /// This machine could not do its part, such as when descriptors have run out.
        case system(SystemError)
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
        /// ``Timeouts/head``
        case head
        /// ``Timeouts/idle``
        case idle
        /// ``Timeouts/total``
        case total
    }
}

extension EngineError: CustomStringConvertible {
    /// One line for a log: what, where, with whom. Holds no header and no part of a URL beyond its origin.
    public var description: String {
        var text = "\(phase.rawValue): \(reason)"
        if let origin { text += " (\(origin.scheme)://\(origin.hostField)" }
        if let remoteAddress { text += " at \(remoteAddress)" }
        if origin != nil { text += ")" }
        return text
    }
}

extension EngineError.Reason: CustomStringConvertible {
    /// A stable word for the case, as in `tern get --json`.
    public var kind: String {
        switch self {
        case .invalidRequest: "invalid-request"
        case .unresolved: "unresolved"
        case .unreachable: "unreachable"
        case .insecure(let error): error.trustFailure == nil ? "tls" : "trust"
        case .malformedResponse: "malformed-response"
        case .connectionLost: "connection-lost"
        case .content: "request-content"
        case .undecodable: "undecodable"
        case .redirect: "redirect"
        case .timedOut: "timed-out"
        case .bodyTooLarge: "body-too-large"
        case .upgradeNotTaken: "upgrade-not-taken"
        case .queueFull: "queue-full"
        case .cancelled: "cancelled"
        case .sessionInvalidated: "session-invalidated"
        case .system: "system"
        }
    }

    /// The rule that decided, within `kind`.
    public var rule: String {
        switch self {
        case .invalidRequest(.unencodable(let error)), .malformedResponse(let error):
            "\(error.reason.rule) (\(error.reason.source))"
        case .insecure(let error): error.trustFailure?.rule ?? error.description
        case .timedOut(let limit): limit.rawValue
        case .redirect(let error): error.description
        case .undecodable(let error): error.description
        case .content(let error): error.description
        case .connectionLost(let error?), .system(let error): error.message
        case .unreachable(let error): error.attempts.last?.error.message ?? kind
        case .invalidRequest, .unresolved, .connectionLost, .bodyTooLarge, .upgradeNotTaken, .queueFull, .cancelled,
            .sessionInvalidated:
            description
        }
    }

    public var description: String {
        switch self {
        case .invalidRequest(let error): "the request is invalid: \(error)"
        case .unresolved(let error): "no address for \(error)"
        case .unreachable(let error): "could not connect: \(error)"
        case .insecure(let error): "\(error)"
        case .malformedResponse(let error): "the response breaks HTTP/1.1: \(error)"
        case .connectionLost(nil): "the server closed the connection before the response was complete"
        case .connectionLost(let error?): "the connection was lost: \(error)"
        case .content(let error): "the request's content could not be sent: \(error)"
        case .undecodable(let error): "the body cannot be decoded: \(error)"
        case .redirect(let error): "\(error)"
        case .timedOut(let limit): "the \(limit.rawValue) time limit passed"
        case .bodyTooLarge(let limit): "the body exceeds the \(limit) bytes of maximumCollectedBodySize"
        case .upgradeNotTaken: "the server switched to another protocol, as the request had asked"
        case .queueFull(let limit): "\(limit) requests wait for a connection already"
        case .cancelled: "cancelled"
        case .sessionInvalidated: "the session is gone"
        case .system(let error): "\(error)"
        }
    }
}
