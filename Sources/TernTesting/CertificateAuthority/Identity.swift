// SPDX-License-Identifier: Apache-2.0
// Safety: `pointer` is one reference, held from `init` to `deinit`.
internal import CTernOpenSSL

/// A certificate with its private key and the chain that a server sends: everything a TLS server needs.
public struct Identity: Sendable, Hashable {
    /// The leaf alone.
    public let certificatePEM: String
    /// The leaf, then the intermediates, without the root; the list that a server sends.
    public let chainPEM: String
    /// PKCS#8, not encrypted.
    public let privateKeyPEM: String
    /// The leaf's key as `sha256/BASE64`: the SHA-256 of its SubjectPublicKeyInfo.
    public let pin: String

    /// Creates an identity from existing parts, without checking them.
    public init(certificatePEM: String, chainPEM: String, privateKeyPEM: String, pin: String) {
        self.certificatePEM = certificatePEM
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
        self.pin = pin
    }

    /// Returns the same identity with another chain: incomplete, shuffled, or with unrelated certificates.
    public func sending(chainPEM: String) -> Identity {
        Identity(certificatePEM: certificatePEM, chainPEM: chainPEM, privateKeyPEM: privateKeyPEM, pin: pin)
    }
}

/// A certificate read from PEM.
@safe
final class PEMCertificate {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    /// Reads all certificates of the text, up to the first that cannot be read.
    static func all(in pem: String) -> [PEMCertificate] {
        var certificates: [PEMCertificate] = []
        unsafe read(pem) { file in
            while let pointer = unsafe PEM_read_bio_X509(file, nil, nil, nil) {
                unsafe certificates.append(PEMCertificate(owning: pointer))
            }
        }
        ERR_clear_error()  // "no start line" is how the list ends
        return certificates
    }

    /// Lends the text as a BIO.
    @unsafe
    static func read<T>(_ pem: String, _ read: (OpaquePointer?) -> T) -> T {
        unsafe Array(pem.utf8).withUnsafeBytes { bytes in
            let file = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { unsafe BIO_free(file) }
            return unsafe read(file)
        }
    }
}

extension Identity {
    /// Signs a digest with the key, for tests of keys that are elsewhere: ECDSA, or for an RSA key RSASSA-PKCS1-v1_5,
    /// or RSASSA-PSS with a salt as long as the digest.
    package func signature(of digest: [UInt8], isPSS: Bool) throws(CertificateAuthorityError) -> [UInt8] {
        let key = try PrivateKey(.existing(privateKeyPEM: privateKeyPEM))
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw CertificateAuthorityError(.outOfMemory)
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let hash = unsafe digest.count == 32 ? EVP_sha256() : digest.count == 48 ? EVP_sha384() : EVP_sha512()
        let padding = isPSS ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
        let isRSA = unsafe EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_RSA
        var (bytes, count) = ([UInt8](repeating: 0, count: 1024), 1024)
        guard unsafe EVP_PKEY_sign_init(context) == 1, unsafe EVP_PKEY_CTX_set_signature_md(context, hash) == 1,
            unsafe !isRSA || EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1,
            unsafe !isRSA || !isPSS || EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1,
            unsafe EVP_PKEY_sign(context, &bytes, &count, digest, digest.count) == 1
        else { throw CertificateAuthorityError(.encodingFailed) }
        return Array(bytes.prefix(count))
    }
}
