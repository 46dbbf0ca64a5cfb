// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A public key that verifies signatures of SHA-256: ECDSA on P-256, or RSA (PKCS #1 v1.5) of 2048 to 8192 bits, as RFC
/// 6962 §2.1.4 allows them; and Ed25519 for files.
///
/// Safety: the pointer is owned, never nil, never changed after `init`, and freed once in `deinit`. OpenSSL permits
/// concurrent use of a key that does not change.
@safe package final class VerificationKey: @unchecked Sendable {
    /// RFC 5246 §7.4.1.4.1.
    enum Algorithm: UInt8 {
        case rsa = 1
        case ecdsa = 3
        /// RFC 8422 §5.1.3.
        case ed25519 = 7
    }

    let algorithm: Algorithm
    private let pointer: OpaquePointer

    /// Reads exactly one DER SubjectPublicKeyInfo; nil for other bytes and other keys.
    init?(subjectPublicKeyInfo der: [UInt8], allowsEd25519: Bool = false) {
        guard let key = unsafe X509Certificate.PublicKey.read(der) else { return nil }
        defer { OpenSSLError.clear() }
        guard let algorithm = unsafe Self.algorithm(of: key), allowsEd25519 || algorithm != .ed25519 else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        self.algorithm = algorithm
        unsafe pointer = key
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    @unsafe private static func algorithm(of key: OpaquePointer) -> Algorithm? {
        switch unsafe EVP_PKEY_get_id(key) {
        case EVP_PKEY_RSA: return unsafe (2048...8192).contains(EVP_PKEY_get_bits(key)) ? .rsa : nil
        case EVP_PKEY_EC: return unsafe PrivateKeyReference.curve(of: key) == "prime256v1" ? .ecdsa : nil
        case EVP_PKEY_ED25519: return .ed25519
        default: return nil
        }
    }

    /// Whether a file has this signature by a key in DER or in a PEM text.
    package static func isSigned(
        _ bytes: [UInt8], by publicKey: [UInt8], signature: [UInt8], allowsEd25519: Bool = false
    ) -> Bool {
        guard let der = X509Certificate.PublicKey.contents(ofFile: publicKey) else { return false }
        return VerificationKey(subjectPublicKeyInfo: der, allowsEd25519: allowsEd25519)?
            .verifies(signature, of: bytes) ?? false
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard !signature.isEmpty, let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = unsafe algorithm == .ed25519 ? nil : EVP_sha256()
        return unsafe EVP_DigestVerifyInit(context, nil, digest, nil, pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
