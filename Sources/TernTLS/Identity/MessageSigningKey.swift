// SPDX-License-Identifier: Apache-2.0
// Safety: what OpenSSL makes for a signature is owned by one call, which frees it; the key is only read.
import CTernOpenSSL

/// A key that signs messages with one algorithm (RFC 9421 §3.3): a shared secret, or a private key. Its descriptions show
/// nothing of it.
public struct MessageSigningKey: Sendable {
    /// How a message is signed. The raw value is the name in the registry of RFC 9421 §6.2.2.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// HMAC with SHA-256.
        case hmacSHA256 = "hmac-sha256"
        /// EdDSA on edwards25519.
        case ed25519
        /// ECDSA on P-256 with SHA-256.
        case ecdsaP256SHA256 = "ecdsa-p256-sha256"
        /// ECDSA on P-384 with SHA-384.
        case ecdsaP384SHA384 = "ecdsa-p384-sha384"
        /// RSASSA-PSS with SHA-512.
        case rsaPSSSHA512 = "rsa-pss-sha512"
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rsaPKCS1SHA256 = "rsa-v1_5-sha256"
    }

    private enum Material {
        case secret([UInt8])
        case privateKey(PrivateKeyReference)
    }

    /// How a message is signed.
    public let algorithm: Algorithm
    private let material: Material

    /// Creates a key for ``Algorithm/hmacSHA256`` of a secret that both sides know.
    public init(secret: [UInt8]) { (algorithm, material) = (.hmacSHA256, .secret(secret)) }

    /// Reads the first private key of a PEM text.
    ///
    /// - Parameters:
    ///   - pem: text with a `PRIVATE KEY` block.
    ///   - algorithm: how it signs.
    ///   - passphrase: decrypts the key; ignored for a key that is not encrypted.
    /// - Throws: `otherAlgorithm` for a key that does not sign so.
    public init(pem: [UInt8], algorithm: Algorithm, passphrase: String? = nil) throws(ClientIdentityError) {
        let key = try PrivateKeyReference(pem: pem, passphrase: passphrase)
        guard unsafe algorithm.isOf(key.pointer) else { throw .withQueue(.otherAlgorithm) }
        (self.algorithm, material) = (algorithm, .privateKey(key))
    }

    /// Returns the signature in the form of RFC 9421 §3.3: that of ECDSA is two numbers of fixed length. Nil if there is
    /// none, because the key is too short for the algorithm, or OpenSSL has failed.
    package func signature(of message: [UInt8]) -> [UInt8]? {
        switch material {
        case .secret(let secret): return MessageDigest.hmacSHA256(message, key: secret)
        case .privateKey(let key):
            OpenSSLError.clear()
            defer { OpenSSLError.clear() }
            guard let signature = unsafe algorithm.signature(of: message, by: key.pointer) else { return nil }
            switch algorithm {
            case .ecdsaP256SHA256: return Self.numbers(of: signature, length: 32)
            case .ecdsaP384SHA384: return Self.numbers(of: signature, length: 48)
            case .hmacSHA256, .ed25519, .rsaPSSSHA512, .rsaPKCS1SHA256: return signature
            }
        }
    }

    /// The two numbers in a DER `ECDSA-Sig-Value` (RFC 3279 §2.2.3), each as long as the order of the curve.
    private static func numbers(of der: [UInt8], length: Int32) -> [UInt8]? {
        let value = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &cursor, buffer.count)
        }
        guard let value = unsafe value else { return nil }
        defer { unsafe ECDSA_SIG_free(value) }
        var (first, second) = ([UInt8](repeating: 0, count: Int(length)), [UInt8](repeating: 0, count: Int(length)))
        guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(value), &first, length) == length,
            unsafe BN_bn2binpad(ECDSA_SIG_get0_s(value), &second, length) == length
        else { return nil }
        return first + second
    }
}

extension MessageSigningKey.Algorithm {
    /// Whether it is used with a key of this kind.
    @unsafe fileprivate func isOf(_ key: OpaquePointer) -> Bool {
        let kind = unsafe EVP_PKEY_get_id(key)
        return switch self {
        case .hmacSHA256: false
        case .ed25519: kind == EVP_PKEY_ED25519
        case .ecdsaP256SHA256: unsafe kind == EVP_PKEY_EC && PrivateKeyReference.curve(of: key) == "prime256v1"
        case .ecdsaP384SHA384: unsafe kind == EVP_PKEY_EC && PrivateKeyReference.curve(of: key) == "secp384r1"
        case .rsaPSSSHA512: kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS
        case .rsaPKCS1SHA256: kind == EVP_PKEY_RSA
        }
    }

    /// The hash of the message; nil where the algorithm has its own.
    private var hash: OpaquePointer? {
        switch self {
        case .ed25519: nil
        case .hmacSHA256, .ecdsaP256SHA256, .rsaPKCS1SHA256: unsafe EVP_sha256()
        case .ecdsaP384SHA384: unsafe EVP_sha384()
        case .rsaPSSSHA512: unsafe EVP_sha512()
        }
    }

    /// As OpenSSL makes it.
    @unsafe fileprivate func signature(of message: [UInt8], by key: OpaquePointer) -> [UInt8]? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        var options: OpaquePointer?
        guard unsafe EVP_DigestSignInit(context, &options, hash, nil, key) == 1 else { return nil }
        if self == .rsaPSSSHA512 {
            // The salt is as long as the hash (RFC 9421 §3.3.1).
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return nil }
        }
        var count = 0
        guard unsafe EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        return Array(signature.prefix(count))
    }
}

extension MessageSigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// For example `a key for ed25519`.
    public var description: String { "a key for \(algorithm.rawValue)" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
