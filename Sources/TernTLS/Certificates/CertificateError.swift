// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a certificate.
public struct CertificateError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The bytes are not exactly one DER `X509Certificate`.
        case invalidDER
        /// A `CERTIFICATE` block of the PEM text, counted from 0, is malformed.
        case invalidPEM(block: Int)
        /// The PEM text has no `CERTIFICATE` block.
        case noCertificate
        /// More bytes than OpenSSL can handle.
        case tooLarge
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's error queue, oldest first.
    public let openSSL: [OpenSSLError]

    /// Empties this thread's OpenSSL error queue into the error.
    init(_ reason: Reason) {
        self.reason = reason
        openSSL = OpenSSLError.drain()
    }
}

extension CertificateError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .invalidDER: "not a DER certificate"
            case .invalidPEM(let block): "PEM certificate \(block + 1) is broken"
            case .noCertificate: "no PEM certificate found"
            case .tooLarge: "too many bytes for a certificate"
            }
        return openSSL.appended(to: text)
    }
}
