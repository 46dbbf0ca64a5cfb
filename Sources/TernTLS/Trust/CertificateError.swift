// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a certificate.
public struct CertificateError: Error, Sendable, Hashable {
    /// What the bytes are instead, or lack.
    public enum Reason: Sendable, Hashable {
        /// Not one DER `X509Certificate` and nothing else.
        case invalidDER
        /// A `CERTIFICATE` block of the PEM text, counted from 0, is broken.
        case invalidPEM(block: Int)
        /// The PEM text has no `CERTIFICATE` block.
        case noCertificate
        /// More bytes than OpenSSL can count.
        case tooLarge
    }

    /// Which of them it was.
    public let reason: Reason
    /// What OpenSSL reported, oldest first.
    public let openSSL: [OpenSSLError]

    /// Takes what OpenSSL left in this thread's queue.
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
