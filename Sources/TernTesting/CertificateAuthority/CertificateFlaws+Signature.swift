// SPDX-License-Identifier: Apache-2.0

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
