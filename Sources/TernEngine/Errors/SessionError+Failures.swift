// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
public import TernTLS

extension SessionError {
    /// An error in the caller's input.
    public enum RequestFailure: Sendable {
        /// The request cannot be sent. No byte was.
        case invalid(InvalidRequest)
        /// The request body could not be sent completely.
        case body(RequestBodyError)
        /// The request could not be authenticated. No byte was sent.
        case unauthenticated(AuthenticationError)
        /// A read from, or write to, a raw stream whose half was closed, or that has ended.
        case streamClosed
        /// Only a stored response may answer (``URLRequest/CachePolicy/returnCacheDataDontLoad``), and none does. No byte
        /// was sent.
        case notCached
        /// The session plays a ``Cassette``, which has no response to the request. No byte was sent.
        case notRecorded(MissingRecording)
        /// The session is a background session of URLSession: on Linux a transfer does not outlive its process. No byte
        /// was sent.
        case backgroundSession
    }
}

extension SessionError.RequestFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .invalid: .invalidRequest
        case .body: .requestBody
        case .unauthenticated: .unauthenticated
        case .streamClosed: .streamClosed
        case .notCached: .notCached
        case .notRecorded: .notRecorded
        case .backgroundSession: .backgroundSession
        }
    }

    var rule: String {
        switch self {
        case .invalid(.unencodable(let error)): "\(error.reason.rule) (\(error.reason.source))"
        case .invalid, .unauthenticated, .streamClosed, .notCached, .notRecorded, .backgroundSession: description
        case .body(let error): error.description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .invalid(let error): "the request is invalid: \(error)"
        case .body(let error): "the request body could not be sent: \(error)"
        case .unauthenticated(let error): "the request could not be authenticated: \(error)"
        case .streamClosed: "the stream is closed"
        case .notCached: "no stored response answers the request, and its cache policy does not let it be sent"
        case .notRecorded(let missing): "\(missing)"
        case .backgroundSession:
            "on Linux there are no background sessions: use a session of the default configuration"
        }
    }
}

extension SessionError {
    /// An error that a program has made with a code of URLSession, to throw it.
    public struct ProgramFailure: Sendable {
        // A reason is passed by value through many functions, so this is one reference.
        private final class Content: Sendable {
            let information: any Sendable
            let text: @Sendable () -> String

            init(_ information: any Sendable, _ text: @escaping @Sendable () -> String) {
                (self.information, self.text) = (information, text)
            }
        }

        /// The number of the code, such as -1011.
        public let code: Int
        private let content: Content

        /// - Parameter text: makes the description.
        package init(code: Int, information: any Sendable, text: @escaping @Sendable () -> String) {
            (self.code, content) = (code, Content(information, text))
        }

        /// What the program said of it, for the module that has made it.
        package var information: any Sendable { content.information }

        fileprivate var text: String { content.text() }
    }
}

extension SessionError.ProgramFailure: CustomStringConvertible {
    /// As Foundation describes an error with that code.
    public var description: String { text }
}

extension SessionError {
    /// Why there is no connection, or none that is trusted.
    public enum ConnectingFailure: Sendable {
        /// The maximum number of requests already waits for a connection.
        case queueFull(limit: Int)
        /// The session's ``CircuitBreaker`` holds requests to the server back, because too many of them failed. No connection
        /// was asked for, and no byte was sent.
        case circuitOpen(OpenCircuit)
        /// The egress policy of the session or of the request refuses the scheme, the port or all addresses. No byte was
        /// sent, and a repeat has the same result.
        case egressRefused(EgressViolation)
        /// The host name has no address.
        case unresolved(ResolveError)
        /// None of the host's addresses accepted a connection.
        case unreachable(ConnectError)
        /// A ``ConnectionDialer`` gave no connection. No byte was sent.
        case dialer(ConnectionDialerError)
        /// An option of `SocketOptions` cannot be set. No byte was sent.
        case socketOption(SocketOptionError)
        /// The TLS handshake failed. For a refused certificate, `TLSError` names the rule. Also the server's demand for
        /// a client certificate, which TLS 1.3 delivers after the handshake. A later TLS failure is
        /// ``SessionError/TransferFailure/tls(_:)``.
        case insecure(TLSError)
        /// A proxy opened no tunnel. ``ProxyError`` has the status and the content of its answer.
        case proxy(ProxyError)
        /// The setting for the URL names no proxy, such as a variable of the environment. No byte was sent.
        case invalidProxy(InvalidProxy)
    }
}

extension SessionError.ConnectingFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .queueFull: .queueFull
        case .circuitOpen: .circuitOpen
        case .egressRefused: .egressRefused
        case .unresolved: .unresolved
        case .unreachable: .unreachable
        case .dialer: .dialer
        case .socketOption: .socketOption
        case .insecure(let error): error.trustFailure == nil ? .tls : .trust
        case .proxy, .invalidProxy: .proxy
        }
    }

    var rule: String {
        switch self {
        case .queueFull, .unresolved, .dialer, .invalidProxy: description
        case .circuitOpen(let circuit): circuit.isHalfOpen ? "half-open" : "open"
        case .egressRefused(let violation): "\(violation.rule)"
        case .unreachable(let error): error.attempts.last?.error.message ?? kind.rawValue
        case .socketOption(let error): "\(error.rule)"
        case .insecure(let error): error.trustFailure?.rule ?? error.description
        case .proxy(let error): error.rule
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .queueFull(let limit): "too many queued requests for this host (limit \(limit))"
        case .circuitOpen(let circuit): "\(circuit)"
        case .egressRefused(let violation): "\(violation)"
        case .unresolved(let error): "no address for \(error)"
        case .unreachable(let error): error.attempts.isEmpty ? "cannot connect" : "cannot connect to \(error)"
        case .dialer(let error): "\(error)"
        case .socketOption(let error): "\(error)"
        case .insecure(let error): "\(error)"
        case .proxy(let error): "\(error)"
        case .invalidProxy(let error): "\(error)"
        }
    }
}

extension SessionError {
    /// Why the response did not arrive, or was refused.
    public enum TransferFailure: Sendable {
        /// The connection ended before the response did, or before its handshake was done; nil if the peer closed it in
        /// an orderly way.
        case connectionLost(SystemCallError?)
        /// TLS failed after the handshake, for example because a record was forged or the peer sent a fatal alert. What
        /// arrived before is authentic.
        case tls(TLSError)
        /// The peer violated HTTP/1.1.
        case malformedResponse(HTTPProtocolError)
        /// The response's body does not match its `Content-Encoding`, or exceeds the decoding limits.
        case undecodable(ContentDecodingError)
        /// A body that is collected in memory exceeds `maximumCollectedBodySize`, in bytes.
        case bodyTooLarge(limit: Int)
        /// The system has no memory for a body that was to be collected, although `maximumCollectedBodySize` allows it:
        /// a limit of the process or of its control group is lower.
        case outOfMemory
        /// With this body, the collected bodies of all sessions that share a `memoryQuota` would exceed it, in bytes.
        case memoryQuotaExceeded(limit: Int)
        /// A redirect was not followed.
        case redirect(RedirectError)
        /// The server switched to another protocol, as the request had asked, and the delegate does not take over, or
        /// the request had not been sent completely. A switch that no request asked for is a `malformedResponse`.
        case upgradeNotTaken
        /// The server was asked to switch to another protocol, and responded with another status than 101.
        case upgradeRefused(status: Int)
        /// The response's content is not what the caller reads it as: lines, values or events.
        case unreadable(StreamedBodyError)
        /// The WebSocket could not be opened, or has failed.
        case webSocket(WebSocketFailure)
        /// A part of a stored response cannot be read from its disk, or does not match its checksum. The response has
        /// been removed from the cache.
        case damagedCache
        /// A response provider of the program, such as a `URLProtocol`, ended the response with this error.
        case provider(any Error)
    }
}

extension SessionError {
    /// The error with which a response provider of the program, such as a `URLProtocol`, has ended the response; nil for
    /// other errors.
    public var providerError: (any Error)? {
        if case .transfer(.provider(let error)) = reason { error } else { nil }
    }
}

extension SessionError.TransferFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .connectionLost: .connectionLost
        case .tls: .tls
        case .malformedResponse: .malformedResponse
        case .undecodable: .undecodable
        case .bodyTooLarge: .bodyTooLarge
        case .outOfMemory: .outOfMemory
        case .memoryQuotaExceeded: .memoryQuotaExceeded
        case .redirect: .redirect
        case .upgradeNotTaken: .upgradeNotTaken
        case .upgradeRefused: .upgradeRefused
        case .unreadable(let error): error.kind
        case .webSocket: .webSocket
        case .damagedCache: .damagedCache
        case .provider: .provider
        }
    }

    var rule: String {
        switch self {
        case .connectionLost(let error?): error.message
        case .tls(let error): error.description
        case .malformedResponse(let error): "\(error.reason.rule) (\(error.reason.source))"
        case .undecodable(let error): error.description
        case .redirect(let error): error.description
        case .unreadable(let error): error.description
        case .webSocket(let error): error.rule
        case .provider(let error): "\(type(of: error))"
        case .connectionLost(nil), .bodyTooLarge, .outOfMemory, .memoryQuotaExceeded, .upgradeNotTaken, .upgradeRefused,
            .damagedCache:
            description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .connectionLost(nil): "the server closed the connection before the response was complete"
        case .connectionLost(let error?): "the connection was lost: \(error)"
        case .tls(let error): "\(error)"
        case .malformedResponse(let error): "the response breaks HTTP/1.1: \(error)"
        case .undecodable(let error): "\(error)"
        case .bodyTooLarge(let limit): "the body exceeds the \(limit) bytes of maximumCollectedBodySize"
        case .outOfMemory: "the system has no memory for the body"
        case .memoryQuotaExceeded(let limit): "with this body, all together exceed the \(limit) bytes of memoryQuota"
        case .redirect(let error): "\(error)"
        case .upgradeNotTaken:
            "the server switched to the protocol that was asked for, and nothing took the connection over"
        case .upgradeRefused(let status):
            "the server does not switch to the protocol that was asked for: its answer is \(status)"
        case .webSocket(let error): "\(error)"
        case .unreadable(let error): "the content cannot be read: \(error)"
        case .damagedCache: "the stored response is damaged on its disk, and was removed from the cache"
        case .provider(let error): "the program's own response failed: \(error)"
        }
    }
}

extension SessionError {
    /// Why a download did not become a file. An existing file at the target is unchanged.
    public enum DownloadFailure: Error {
        /// The file could not be created, written, read or renamed: a full disk is `ENOSPC`, a quota `EDQUOT`, a file
        /// that exceeds the size limit `EFBIG`.
        case file(SystemCallError, path: String)
        /// A file exists, and the settings do not allow replacing it.
        case exists(path: String)
        /// The target is a folder, a device, a FIFO or a socket, which cannot be replaced.
        case notRegularFile(path: String)
        /// The response is not a success (2xx), so its body is not the requested file.
        case unsuccessful(HTTPURLResponse)
        /// The server sent another part than requested, or does not say which.
        case wrongPart(ContentRangeError)
        /// The whole part that the server chose to send has arrived, and the file is longer.
        case incomplete(received: Int64, of: Int64)
        /// The file would exceed its maximum length (``DownloadSettings/maximumLength``), in bytes. It is discarded.
        case tooLong(limit: Int64)
        /// The content does not match its digest. It is discarded.
        case digestMismatch(DigestAlgorithm, expected: [UInt8], actual: [UInt8])
        /// The digest to compare with has another number of bytes than the algorithm makes. Nothing was received.
        case digestLength(DigestAlgorithm, count: Int)
        /// The response was required to have a digest of its content (`Repr-Digest`), and has none that is supported.
        case noDigest
        /// The resume data cannot be used.
        case resumeData(ResumeDataError)
    }
}

extension SessionError.DownloadFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .file: .file
        case .exists: .fileExists
        case .notRegularFile: .notRegularFile
        case .unsuccessful: .httpStatus
        case .wrongPart: .wrongPart
        case .incomplete: .incomplete
        case .tooLong: .tooLong
        case .digestMismatch, .digestLength: .digestMismatch
        case .noDigest: .noDigest
        case .resumeData: .resumeData
        }
    }

    var rule: String {
        switch self {
        case .file(let error, _): error.message
        case .unsuccessful(let response): "\(response.statusCode)"
        case .wrongPart(let error): error.rule
        case .digestMismatch(let algorithm, _, _): algorithm.rawValue
        case .resumeData(let error): "\(error)"
        case .exists, .notRegularFile, .incomplete, .tooLong, .digestLength, .noDigest: description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .file(let error, let path): "the file \(path): \(error)"
        case .exists(let path): "there is a file \(path) already"
        case .notRegularFile(let path): "\(path) is no regular file"
        case .unsuccessful(let response): "the server answered \(response.statusCode)"
        case .wrongPart(let error): "the server sent another part than was asked for: \(error)"
        case .incomplete(let count, let total): "the server sent \(count) of \(total) bytes"
        case .tooLong(let limit): "the body exceeds \(limit) bytes"
        case .digestMismatch(let algorithm, let expected, let actual):
            "the \(algorithm.rawValue) digest of the content is \(actual.map(hexadecimal).joined()), "
                + "and not \(expected.map(hexadecimal).joined())"
        case .digestLength(let algorithm, let count):
            "the digest to compare with has \(count) bytes, and one of \(algorithm.rawValue) has \(algorithm.length)"
        case .noDigest: "the response has no Repr-Digest that is understood"
        case .resumeData(let error): "the resume data cannot be used: \(error)"
        }
    }
}
