// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a revocation list.
public struct RevocationError: Error, Sendable, Hashable {
    /// What the bytes are instead, or lack.
    public enum Reason: Sendable, Hashable {
        /// Not one DER `CertificateList` and nothing else.
        case invalidDER
        /// A block of the PEM text is broken.
        case invalidPEM
        /// The PEM text has no `X509 CRL` block.
        case noList
        /// More bytes than OpenSSL can count.
        case tooLarge
    }

    /// Which of them it was.
    public let reason: Reason
    /// What OpenSSL reported, oldest first.
    public let openSSL: [OpenSSLError]

    init(_ reason: Reason, openSSL: [OpenSSLError] = []) {
        self.reason = reason
        self.openSSL = openSSL
    }

    /// Takes what OpenSSL left in this thread's queue.
    static func withQueue(_ reason: Reason) -> RevocationError {
        RevocationError(reason, openSSL: OpenSSLError.drain())
    }
}

extension RevocationError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .invalidDER: "not a DER revocation list"
            case .invalidPEM: "a PEM block is broken"
            case .noList: "no PEM revocation list found"
            case .tooLarge: "too many bytes for a revocation list"
            }
        return openSSL.appended(to: text)
    }
}
