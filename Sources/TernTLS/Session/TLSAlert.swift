// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

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
