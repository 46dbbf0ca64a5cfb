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
        /// The client's key, which is elsewhere, has not signed.
        case signing(SigningFailure)
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
            case .alert(let alert): "the peer ended the connection with the TLS alert \(alert)"
            case .clientCertificateRequired(let alert):
                "the server wants a client certificate, and none is configured (TLS alert \(alert))"
            case .signing(let failure): failure.description
            case .handshakeFailed: "TLS handshake failed"
            case .protocolViolation: "the peer broke the TLS protocol"
            case .tooManyMessages(let limit): "the peer sent more than \(limit) messages without application data"
            case .noPeerCertificate: "the server presented no certificate"
            case .truncated: "the peer ended the connection without close_notify"
            case .notEstablished: "the handshake is not complete"
            case .closed: "the session is closed"
            case .outOfResources: "OpenSSL could not allocate what it needs"
            }
        return isSaidByReason ? text : openSSL.appended(to: text)
    }
}

extension TLSError {
    /// Whether OpenSSL's entry says no more than the reason: "certificate verify failed", or the alert's number.
    private var isSaidByReason: Bool {
        switch reason {
        case .trust, .alert, .clientCertificateRequired: true
        case .invalidConfiguration, .invalidHost, .signing, .handshakeFailed, .protocolViolation, .tooManyMessages,
            .noPeerCertificate, .truncated, .notEstablished, .closed, .outOfResources:
            false
        }
    }

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

    /// Whether the peer says that it does not accept the certificate that it was shown (RFC 8446 §6.2).
    package var isAboutCertificate: Bool {
        switch Int32(code) {
        case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
            SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED:
            true
        default: false
        }
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
    /// Its name in RFC 8446 §6 or RFC 5246 §7.2, such as `certificate_required`, or its number.
    public var description: String {
        switch code {
        case 0: "close_notify"
        case 10: "unexpected_message"
        case 20: "bad_record_mac"
        case 21: "decryption_failed"
        case 22: "record_overflow"
        case 30: "decompression_failure"
        case 40: "handshake_failure"
        case 41: "no_certificate"
        case 42: "bad_certificate"
        case 43: "unsupported_certificate"
        case 44: "certificate_revoked"
        case 45: "certificate_expired"
        case 46: "certificate_unknown"
        case 47: "illegal_parameter"
        case 48: "unknown_ca"
        case 49: "access_denied"
        case 50: "decode_error"
        case 51: "decrypt_error"
        case 60: "export_restriction"
        case 70: "protocol_version"
        case 71: "insufficient_security"
        case 80: "internal_error"
        case 86: "inappropriate_fallback"
        case 90: "user_canceled"
        case 100: "no_renegotiation"
        case 109: "missing_extension"
        case 110: "unsupported_extension"
        case 111: "certificate_unobtainable"
        case 112: "unrecognized_name"
        case 113: "bad_certificate_status_response"
        case 114: "bad_certificate_hash_value"
        case 115: "unknown_psk_identity"
        case 116: "certificate_required"
        case 120: "no_application_protocol"
        case 121: "ech_required"
        default: "number \(code)"
        }
    }
}
