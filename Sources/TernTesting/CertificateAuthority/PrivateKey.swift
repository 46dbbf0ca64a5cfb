// SPDX-License-Identifier: Apache-2.0
// The two directions of a memory BIO; neither pointer may escape its closure.
import CTernOpenSSL

/// An `EVP_PKEY`.
///
/// Safety: the pointer is owned, never nil, never mutated after `init`, and freed once in `deinit`. OpenSSL permits
/// concurrent use of a key that does not change.
@safe final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Every use begins with a key, so OpenSSL is set up here. It must not free itself when the process exits, while
    /// threads of origins still run.
    private static let isOpenSSLReady = OPENSSL_init_ssl(tern_OPENSSL_INIT_NO_ATEXIT, nil) == 1

    init(_ kind: KeyKind) throws(CertificateAuthorityError) {
        guard Self.isOpenSSLReady else { throw CertificateAuthorityError(.keyGenerationFailed(kind)) }
        let made: OpaquePointer? =
            switch kind {
            case .p256: unsafe tern_EVP_EC_gen("P-256")
            case .p384: unsafe tern_EVP_EC_gen("P-384")
            case .p521: unsafe tern_EVP_EC_gen("P-521")
            case .ed25519: unsafe tern_EVP_ED25519_gen()
            case .curve(let name): unsafe tern_EVP_EC_gen(name)
            case .rsa(let bits): unsafe tern_EVP_RSA_gen(max(0, bits))
            case .existing(let pem):
                try unsafe withMemoryBIO(reading: pem) { bio in
                    // No passphrase: the default would prompt on the terminal and block.
                    unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
                }
            }
        guard let made = unsafe made else {
            if case .existing = kind { throw CertificateAuthorityError(.invalidPrivateKey) }
            throw CertificateAuthorityError(.keyGenerationFailed(kind))
        }
        unsafe pointer = made
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    func pem() throws(CertificateAuthorityError) -> String {
        try unsafe writingMemoryBIO { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil) == 1
        }
    }
}

@unsafe func withMemoryBIO<Result>(
    reading text: String, _ body: (OpaquePointer) -> Result?
) throws(CertificateAuthorityError) -> Result? {
    let bytes = Array(text.utf8)
    guard let length = Int32(exactly: bytes.count) else { throw CertificateAuthorityError(.outOfMemory) }
    return unsafe bytes.withUnsafeBytes { buffer in
        guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, length) else { return nil }
        defer { unsafe BIO_free(bio) }
        return unsafe body(bio)
    }
}

@unsafe func writingMemoryBIO(_ body: (OpaquePointer) -> Bool) throws(CertificateAuthorityError) -> String {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw CertificateAuthorityError(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    guard unsafe body(bio) else { throw CertificateAuthorityError(.encodingFailed) }
    var data: UnsafeMutablePointer<CChar>?
    let count = unsafe tern_BIO_get_mem_data(bio, &data)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: max(0, count)), as: UTF8.self)
}
