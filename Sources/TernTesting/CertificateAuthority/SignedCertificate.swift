// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `X509` that has been signed.
///
/// Safety: the pointer is owned, never nil, never mutated after `init`, and freed once in `deinit`. OpenSSL caches
/// values inside it under its own lock.
@safe final class SignedCertificate: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    convenience init(der: [UInt8]) throws(CertificateAuthorityError) {
        let read = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_X509(nil, &cursor, buffer.count)
        }
        guard let read = unsafe read else { throw CertificateAuthorityError(.encodingFailed) }
        unsafe self.init(owning: read)
    }

    deinit { unsafe X509_free(pointer) }

    func pem() throws(CertificateAuthorityError) -> String {
        try unsafe writingMemoryBIO { bio in unsafe PEM_write_bio_X509(bio, pointer) == 1 }
    }

    func der() throws(CertificateAuthorityError) -> [UInt8] {
        var encoding: UnsafeMutablePointer<UInt8>?
        let length = unsafe i2d_X509(pointer, &encoding)
        guard length > 0, let encoding = unsafe encoding else { throw CertificateAuthorityError(.encodingFailed) }
        defer { unsafe CRYPTO_free(encoding, #file, 0) }
        return unsafe Array(UnsafeBufferPointer(start: encoding, count: Int(length)))
    }

    /// The SHA-256 of the DER SubjectPublicKeyInfo.
    func keyHash() throws(CertificateAuthorityError) -> [UInt8] {
        var der: UnsafeMutablePointer<UInt8>?
        let length = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), &der)
        guard length > 0, let der = unsafe der else { throw CertificateAuthorityError(.encodingFailed) }
        defer { unsafe CRYPTO_free(der, #file, 0) }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe SHA256(der, Int(length), &digest)
        return digest
    }

    /// `sha256/BASE64` of the DER SubjectPublicKeyInfo.
    func pin() throws(CertificateAuthorityError) -> String {
        let digest = try keyHash()
        var base64 = [UInt8](repeating: 0, count: 45)
        let count = unsafe EVP_EncodeBlock(&base64, digest, SHA256_DIGEST_LENGTH)
        return "sha256/" + String(decoding: base64.prefix(Int(max(0, count))), as: UTF8.self)
    }
}

extension CertificateFlaws {
    /// Flaws that are possible only after signing, and that OpenSSL cannot make: the DER encoding is changed.
    func apply(to certificate: SignedCertificate) throws(CertificateAuthorityError) -> SignedCertificate {
        guard hasBrokenSignature || namesOtherAlgorithm else { return certificate }
        var der = try certificate.der()
        if namesOtherAlgorithm { try renameSignedAlgorithm(in: &der) }
        // The last byte belongs to the signature.
        if hasBrokenSignature, let last = der.indices.last { der[last] ^= 1 }
        return try SignedCertificate(der: der)
    }

    /// ecdsa-with-SHA256 and sha256WithRSAEncryption become their SHA-384 equivalents in the signed part. The signature
    /// is then invalid, but a client that compares the names may refuse before it verifies.
    private func renameSignedAlgorithm(in der: inout [UInt8]) throws(CertificateAuthorityError) {
        let names: [(from: [UInt8], to: [UInt8])] = [
            ([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2], [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3]),
            ([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11], [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 12]),
        ]
        for (from, to) in names {
            for start in der.indices.dropLast(from.count) where der[start...].starts(with: from) {
                der.replaceSubrange(start..<(start + from.count), with: to)
                return
            }
        }
        throw CertificateAuthorityError(.encodingFailed)
    }
}
