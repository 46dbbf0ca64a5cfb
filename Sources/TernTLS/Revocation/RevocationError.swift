// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a revocation list.
public struct RevocationError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The bytes are not exactly one DER `CertificateList`.
        case invalidDER
        /// A block of the PEM text is malformed.
        case invalidPEM
        /// The PEM text has no `X509 CRL` block.
        case noList
        /// More bytes than OpenSSL can handle.
        case tooLarge
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's error queue, oldest first.
    public let openSSL: [OpenSSLError]

    init(_ reason: Reason, openSSL: [OpenSSLError] = []) {
        self.reason = reason
        self.openSSL = openSSL
    }

    /// Empties this thread's OpenSSL error queue into the error.
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
