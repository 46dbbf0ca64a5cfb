// SPDX-License-Identifier: Apache-2.0

extension SessionError {
    /// The kinds of errors: one for each case of ``SessionError/Reason-swift.enum``, or of the group within it. The raw
    /// value is the word that `tern get --json` prints.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An invalid request.
        case invalidRequest = "invalid-request"
        /// The content of the request could not be sent.
        case requestBody = "request-content"
        /// The request could not be authenticated.
        case unauthenticated
        /// A raw stream was closed.
        case streamClosed = "stream-closed"
        /// Too many requests wait for a connection.
        case queueFull = "queue-full"
        /// The host name has no address.
        case unresolved
        /// No address accepted a connection.
        case unreachable
        /// TLS failed, for another reason than a refused certificate.
        case tls
        /// The server's certificates were refused.
        case trust
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
        /// A redirect was not followed.
        case redirect
        /// The server switched to a protocol that was not taken over.
        case upgradeNotTaken = "upgrade-not-taken"
        /// The server did not switch to the requested protocol.
        case upgradeRefused = "upgrade-refused"
        /// A line of the body is too long.
        case lineTooLong = "line-too-long"
        /// A line of the body could not be decoded.
        case lineUndecodable = "line-undecodable"
        /// An event is too large.
        case eventTooLarge = "event-too-large"
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
        /// The status of a download is not a success.
        case httpStatus = "http-status"
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
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .sessionInvalidated: .sessionInvalidated
        case .system: .system
        }
    }
}
