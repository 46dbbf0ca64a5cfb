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
