// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting

/// Files that an identity can be read from, written by OpenSSL itself.
struct IdentityFiles {
    let certificates: [UInt8]
    let privateKey: [UInt8]
    private let identity: Identity

    init(_ identity: Identity) {
        self.identity = identity
        certificates = Array(identity.chainPEM.utf8)
        privateKey = Array(identity.privateKeyPEM.utf8)
    }

    /// PKCS#8, encrypted with AES.
    func encryptedKey(_ passphrase: String) -> [UInt8] {
        let key = unsafe Self.key(identity)
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe Self.written { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(
                bio, key, EVP_aes_256_cbc(), passphrase, Int32(passphrase.utf8.count), nil, nil)
        }
    }

    /// DER PKCS#8, encrypted if there is a passphrase.
    func derKey(_ passphrase: String?) -> [UInt8] {
        let key = unsafe Self.key(identity)
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe Self.written { bio in
            guard let passphrase else { return unsafe i2d_PKCS8PrivateKey_bio(bio, key, nil, nil, 0, nil, nil) }
            return unsafe i2d_PKCS8PrivateKey_bio(
                bio, key, EVP_aes_256_cbc(), passphrase, Int32(passphrase.utf8.count), nil, nil)
        }
    }

    /// The key and all certificates, in the order a careless tool might put them.
    func pkcs12(_ passphrase: String?) -> [UInt8] {
        let key = unsafe Self.key(identity)
        let others = unsafe tern_X509_stack_new()
        var leaf: OpaquePointer?
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe X509_free(leaf)
            unsafe tern_X509_stack_release(others)
        }
        unsafe Self.reading(certificates) { bio in
            unsafe leaf = PEM_read_bio_X509(bio, nil, nil, nil)
            var rest: [OpaquePointer] = unsafe []
            while let next = unsafe PEM_read_bio_X509(bio, nil, nil, nil) { unsafe rest.append(next) }
            unsafe rest.reversed().forEach { certificate in _ = unsafe tern_X509_stack_push(others, certificate) }
        }
        ERR_clear_error()
        let file = unsafe PKCS12_create(passphrase, nil, key, leaf, others, 0, 0, 0, 0, 0)
        defer { unsafe PKCS12_free(file) }
        return unsafe Self.written { bio in unsafe i2d_PKCS12_bio(bio, file) }
    }

    private static func key(_ identity: Identity) -> OpaquePointer? {
        var key: OpaquePointer?
        unsafe reading(Array(identity.privateKeyPEM.utf8)) { unsafe key = PEM_read_bio_PrivateKey($0, nil, nil, nil) }
        return unsafe key
    }

    private static func reading(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Void) {
        let bio = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(bio) }
        unsafe BIO_write(bio, bytes, Int32(bytes.count))
        unsafe body(bio)
    }

    private static func written(_ body: (OpaquePointer?) -> Int32) -> [UInt8] {
        let bio = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(bio) }
        guard unsafe body(bio) == 1 else { return [] }
        var data: UnsafeMutablePointer<CChar>?
        let count = unsafe tern_BIO_get_mem_data(bio, &data)
        return unsafe Array(UnsafeRawBufferPointer(start: data, count: max(0, count)))
    }
}
