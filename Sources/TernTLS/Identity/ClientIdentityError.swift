// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a client identity.
public struct ClientIdentityError: Error, Sendable, Hashable {
    /// What is missing, unreadable or inconsistent.
    public enum Reason: Sendable, Hashable {
        /// The certificates cannot be read.
        case certificate(CertificateError)
        /// There is no readable private key.
        case noPrivateKey
        /// The private key is encrypted, and no passphrase was given.
        case passphraseNeeded
        /// The passphrase does not decrypt the private key or the PKCS#12 file.
        case wrongPassphrase
        /// The private key does not belong to the first certificate.
        case keyMismatch
        /// The bytes are not a PKCS#12 file, or are encrypted with an algorithm that this OpenSSL has retired.
        case invalidPKCS12
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
    static func withQueue(_ reason: Reason) -> ClientIdentityError {
        ClientIdentityError(reason, openSSL: OpenSSLError.drain())
    }
}

extension ClientIdentityError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .certificate(let error): error.description
            case .noPrivateKey: "no private key found, or a broken one"
            case .passphraseNeeded: "the private key is encrypted and needs a passphrase"
            case .wrongPassphrase: "the passphrase is wrong"
            case .keyMismatch: "the private key does not belong to the certificate"
            case .invalidPKCS12: "not a PKCS#12 file, or one of an unsupported kind"
            case .tooLarge: "too many bytes for an identity"
            }
        return openSSL.appended(to: text)
    }
}
