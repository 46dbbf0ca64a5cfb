// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// What a client's key has to sign in a handshake, for a key that is elsewhere: in a key management service, a token or
/// another process. See ``ClientIdentity/init(certificates:signature:)``.
public struct SigningRequest: Sendable, Hashable {
    /// How the digest is signed.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// ECDSA; the signature is a DER `ECDSA-Sig-Value` (RFC 3279 §2.2.3).
        case ecdsa = "ECDSA"
        /// RSASSA-PSS with MGF1 of the same hash, and a salt as long as the digest (RFC 8446 §4.2.3); the signature is
        /// as long as the modulus.
        case rsaPSS = "RSASSA-PSS"
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2), which only TLS 1.2 uses; the signature is as long as the modulus.
        case rsaPKCS1 = "RSASSA-PKCS1-v1_5"
    }

    /// The hash that made the digest.
    public enum Hash: String, Sendable, Hashable, CaseIterable {
        /// 32 bytes.
        case sha256 = "SHA-256"
        /// 48 bytes.
        case sha384 = "SHA-384"
        /// 64 bytes.
        case sha512 = "SHA-512"
    }

    /// How the digest is signed.
    public let algorithm: Algorithm
    /// The hash that made the digest.
    public let hash: Hash
    /// The digest of the message, which is not hashed again.
    public let digest: [UInt8]
    /// The certificate whose key signs.
    public let certificate: X509Certificate
}

extension SigningRequest: CustomStringConvertible {
    /// For example `ECDSA with SHA-256`.
    public var description: String { "\(algorithm.rawValue) with \(hash.rawValue)" }
}

/// Why a key that is elsewhere has not signed a handshake.
public enum SigningFailure: Error, Sendable, Hashable {
    /// The program's closure threw this error, as text.
    case refused(String)
    /// The signature is not one of the certificate's key for what was to be signed. It was not sent.
    case invalidSignature
    /// The handshake needs an algorithm that closures are not asked for.
    case unsupportedAlgorithm
    /// The token or the provider that has the key failed; OpenSSL's errors may say why.
    case unavailable
    /// The connection was given up before there was a signature.
    case abandoned
}

extension SigningFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let text): "the client's key did not sign: \(ShortenedText.shortened(text))"
        case .invalidSignature: "the signature for the client's certificate is not one of its key"
        case .unsupportedAlgorithm: "the client's key is asked for a signature of a kind that is not supported"
        case .unavailable: "the token or provider with the client's key failed"
        case .abandoned: "the connection was given up before the client's key had signed"
        }
    }
}
