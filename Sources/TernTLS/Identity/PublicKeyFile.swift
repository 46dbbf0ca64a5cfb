// SPDX-License-Identifier: Apache-2.0
// Safety: OpenSSL's objects are freed where they are made, and their results copied before that.
import CTernOpenSSL

extension X509Certificate.PublicKey {
    /// Hashes the key in a file: a public key, a certificate signing request (PKCS #10), or a private key that needs no
    /// passphrase, each in PEM or DER. So a backup key is pinned before it has a certificate.
    public init(keyFile bytes: some Sequence<UInt8>) throws(PinError) {
        let bytes = Array(bytes)
        if let key = try? Self(publicKeyFile: bytes) {
            self = key
        } else if let info = Self.infoOfRequest(bytes) ?? Self.infoOfPrivateKey(bytes) {
            self.init(subjectPublicKeyInfo: info)
        } else {
            throw .notKey
        }
    }

    private static func infoOfRequest(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = Int32(exactly: bytes.count) else { return nil }
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        return unsafe bytes.withUnsafeBytes { buffer -> [UInt8]? in
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, count) else { return nil }
            defer { unsafe BIO_free(bio) }
            // DER begins with a SEQUENCE tag, which no text begins with.
            let request =
                bytes.first == 0x30
                ? unsafe d2i_X509_REQ_bio(bio, nil) : unsafe PEM_read_bio_X509_REQ(bio, nil, { _, _, _, _ in -1 }, nil)
            guard let request = unsafe request else { return nil }
            defer { unsafe X509_REQ_free(request) }
            return unsafe X509Reference.encode { target in
                unsafe i2d_X509_PUBKEY(X509_REQ_get_X509_PUBKEY(request), target)
            }
        }
    }

    private static func infoOfPrivateKey(_ bytes: [UInt8]) -> [UInt8]? {
        let key =
            bytes.first == 0x30
            ? try? PrivateKeyReference(der: bytes, passphrase: nil)
            : try? PrivateKeyReference(pem: bytes, passphrase: nil)
        guard let key else { return nil }
        defer { OpenSSLError.clear() }
        return unsafe X509Reference.encode { target in unsafe i2d_PUBKEY(key.pointer, target) }
    }
}
