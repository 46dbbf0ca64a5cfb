// SPDX-License-Identifier: Apache-2.0

/// Why a TLS context or session could not do what it was asked.
public struct TLSError: Error, Sendable, Hashable {
    /// What went wrong: with our configuration, with the peer, or in its use here.
    public enum Reason: Sendable, Hashable {
        /// The configuration contradicts itself or names what OpenSSL does not have.
        case invalidConfiguration(Setting)
        /// Not a lower-case DNS name in A-label form, nor an IP literal without brackets.
        case invalidHost(String)
        /// The server's certificates were refused; nothing was sent but the alert.
        case trust(TrustFailure)
        /// The peer ended the connection with this fatal alert.
        case alert(TLSAlert)
        /// The server demands a certificate of ours, and the configuration has no identity. This is what it sent.
        case clientCertificateRequired(TLSAlert)
        /// The handshake broke off on our side; `openSSL` says at which rule.
        case handshakeFailed
        /// The peer broke the protocol after the handshake: a record that does not authenticate, or does not belong.
        case protocolViolation
        /// The peer goes on sending messages that carry no application data, such as key updates or session tickets:
        /// more than `limit` of them, where each is to be earned by half a kilobyte of data.
        case tooManyMessages(limit: Int)
        /// The handshake ended without a certificate of the peer.
        case noPeerCertificate
        /// The ciphertext ended without the peer's close_notify: what arrived may be incomplete (RFC 8446 §6.1).
        case truncated
        /// Application data was asked for before the handshake was complete.
        case notEstablished
        /// Application data was given after `close`.
        case closed
        /// OpenSSL had no memory, or no entropy.
        case outOfResources
    }

    /// A part of the configuration that cannot be used.
    public enum Setting: Sendable, Hashable {
        /// The oldest version is newer than the newest.
        case versions(minimum: TLSProtocolVersion, maximum: TLSProtocolVersion)
        /// Empty, or longer than the 255 bytes that ALPN has room for.
        case applicationProtocol(String)
        /// The identity's key is too weak, or of a kind that TLS does not know.
        case identity
    }

    /// Which of them it was.
    public let reason: Reason
    /// What OpenSSL reported, oldest first.
    public let openSSL: [OpenSSLError]

    /// An error for a reason, with what OpenSSL reported if it did.
    public init(_ reason: Reason, openSSL: [OpenSSLError] = []) {
        self.reason = reason
        self.openSSL = openSSL
    }

    /// Takes what OpenSSL left in this thread's queue.
    static func withQueue(_ reason: Reason) -> TLSError { TLSError(reason, openSSL: OpenSSLError.drain()) }
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .invalidConfiguration(.versions(let minimum, let maximum)):
                "no protocol version between \(minimum) and \(maximum)"
            case .invalidConfiguration(.applicationProtocol(let name)):
                "application protocol \"\(name)\" is not 1 to 255 bytes long"
            case .invalidConfiguration(.identity): "the client identity is of no use in TLS"
            case .invalidHost(let host): "\"\(ShortenedText.shortened(host))\" is neither a DNS name nor an IP address"
            case .trust(let failure): failure.description
            case .alert(let alert): "the peer sent the fatal alert \(alert)"
            case .clientCertificateRequired(let alert):
                "the server demands a client certificate and there is none (it sent the fatal alert \(alert))"
            case .handshakeFailed: "TLS handshake failed"
            case .protocolViolation: "the peer broke the TLS protocol"
            case .tooManyMessages(let limit): "the peer sent more than \(limit) messages without application data"
            case .noPeerCertificate: "the server presented no certificate"
            case .truncated: "the peer ended the connection without close_notify"
            case .notEstablished: "the handshake is not complete"
            case .closed: "the session is closed"
            case .outOfResources: "OpenSSL could not allocate what it needs"
            }
        return openSSL.appended(to: text)
    }
}

extension TLSError {
    /// The refusal, if the server's certificates were refused.
    public var trustFailure: TrustFailure? {
        if case .trust(let failure) = reason { failure } else { nil }
    }
}
