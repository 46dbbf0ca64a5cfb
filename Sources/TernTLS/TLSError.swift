// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An error of a TLS context or session.
public struct TLSError: Error, Sendable, Hashable {
    /// The cause: the configuration, the peer, or incorrect use.
    public enum Reason: Sendable, Hashable {
        /// The configuration contradicts itself or requires what OpenSSL does not support.
        case invalidConfiguration(Setting)
        /// The host is neither a lower-case DNS name in A-label form nor an IP literal without brackets.
        case invalidHost(String)
        /// The server's certificates were refused; only the alert was sent.
        case trust(TrustFailure)
        /// The peer ended the connection with this fatal alert.
        case alert(TLSAlert)
        /// The server requires a client certificate, and the configuration has no identity. The value is the alert.
        case clientCertificateRequired(TLSAlert)
        /// The handshake failed locally; `openSSL` has the reason.
        case handshakeFailed
        /// The peer violated the protocol after the handshake: a record fails authentication, or is not allowed.
        case protocolViolation
        /// The peer sent too many messages without application data, such as key updates or session tickets: more than
        /// `limit`, each of which requires half a kilobyte of application data.
        case tooManyMessages(limit: Int)
        /// The handshake ended without a certificate of the peer.
        case noPeerCertificate
        /// The ciphertext ended without the peer's close_notify: the data received may be incomplete (RFC 8446 §6.1).
        case truncated
        /// Application data was read or written before the handshake was complete.
        case notEstablished
        /// Application data was written after `close`.
        case closed
        /// OpenSSL had no memory, or no entropy.
        case outOfResources
    }

    /// The invalid part of a configuration.
    public enum Setting: Sendable, Hashable {
        /// The minimum version is newer than the maximum.
        case versions(minimum: TLSProtocolVersion, maximum: TLSProtocolVersion)
        /// The name is empty, or longer than the 255 bytes that ALPN allows.
        case applicationProtocol(String)
        /// The list leaves no cipher suite of TLS 1.2.
        case cipherList(String)
        /// A name in the list is no cipher suite of TLS 1.3.
        case cipherSuites(String)
        /// A name in the list is no group for key exchange.
        case groups(String)
        /// The identity's key is too weak, or of a kind that TLS does not support.
        case identity
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's error queue, oldest first.
    public let openSSL: [OpenSSLError]

    /// An error with a reason and, if OpenSSL failed, its error queue.
    public init(_ reason: Reason, openSSL: [OpenSSLError] = []) {
        self.reason = reason
        self.openSSL = openSSL
    }

    /// Empties this thread's OpenSSL error queue into the error.
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
            case .invalidConfiguration(.cipherList(let list)):
                "\"\(ShortenedText.shortened(list))\" leaves no cipher suite of TLS 1.2"
            case .invalidConfiguration(.cipherSuites(let list)):
                "\"\(ShortenedText.shortened(list))\" is not a list of cipher suites of TLS 1.3, separated by colons"
            case .invalidConfiguration(.groups(let list)):
                "\"\(ShortenedText.shortened(list))\" is not a list of groups for key exchange, separated by colons"
            case .invalidConfiguration(.identity): "the client identity cannot be used in TLS"
            case .invalidHost(let host): "\"\(ShortenedText.shortened(host))\" is neither a DNS name nor an IP address"
            case .trust(let failure): failure.description
            case .alert(let alert): "the peer sent the fatal alert \(alert)"
            case .clientCertificateRequired(let alert):
                "the server requires a client certificate, and none is configured (it sent the fatal alert \(alert))"
            case .handshakeFailed: "TLS handshake failed"
            case .protocolViolation: "the peer broke the TLS protocol"
            case .tooManyMessages(let limit): "the peer sent more than \(limit) messages without application data"
            case .noPeerCertificate: "the server presented no certificate"
            case .truncated: "the peer ended the connection without close_notify"
            case .notEstablished: "the handshake is not complete"
            case .closed: "the session is closed"
            case .outOfResources: "OpenSSL could not allocate what it needs"
            }
        // OpenSSL's entry for a refusal says no more than "certificate verify failed".
        return trustFailure == nil ? openSSL.appended(to: text) : text
    }
}

extension TLSError {
    /// The trust failure, if the server's certificates were refused.
    public var trustFailure: TrustFailure? {
        if case .trust(let failure) = reason { failure } else { nil }
    }
}

/// An alert of the peer (RFC 8446 §6).
public struct TLSAlert: Sendable, Hashable {
    /// The `AlertDescription`, such as 42 for `bad_certificate`.
    public let code: UInt8

    /// An alert by its number, known or unknown.
    public init(code: UInt8) { self.code = code }

    /// The orderly end of the peer's sending half; an error only inside a handshake.
    public static let closeNotify = TLSAlert(code: 0)

    /// Whether a server that requires a client certificate would send it: TLS 1.3 has `certificate_required` (RFC 8446
    /// §4.4.2.4), TLS 1.2 leaves the choice (RFC 5246 §7.4.6), and servers differ.
    var mayMissCertificate: Bool {
        [SSL_AD_CERTIFICATE_REQUIRED, SSL_AD_HANDSHAKE_FAILURE, SSL_AD_BAD_CERTIFICATE, SSL_AD_CERTIFICATE_UNKNOWN]
            .contains(Int32(code))
    }

    /// OpenSSL reports an alert it received as reason 1000 + code of `libssl`.
    init?(_ error: OpenSSLError) {
        guard error.libraryNumber == ERR_LIB_SSL,
            let code = UInt8(exactly: error.reasonNumber - SSL_AD_REASON_OFFSET)
        else { return nil }
        self.code = code
    }
}

extension TLSAlert: CustomStringConvertible {
    public var description: String {
        unsafe String(cStringOrEmpty: SSL_alert_desc_string_long(Int32(code))) + " (\(code))"
    }
}
