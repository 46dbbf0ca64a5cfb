// SPDX-License-Identifier: Apache-2.0
// Safety: the message is freed where it was created, and takes references of its own to the certificates.
import CTernOpenSSL

// What the URL `caIssuers` of a certificate leads to.
extension CertificateAuthority {
    /// Returns the authority's certificate in DER, as its URL in the certificates that it issues leads to (RFC 5280
    /// §4.2.2.1).
    public func certificateDER() throws(CertificateAuthorityError) -> [UInt8] {
        guard let certificate = PEMCertificate.all(in: certificatePEM).first else {
            throw CertificateAuthorityError(.encodingFailed)
        }
        return try unsafe Self.encoded { target in unsafe i2d_X509(certificate.pointer, target) }
    }

    /// Returns the certificates of several authorities as a PKCS#7 message in DER that has nothing else, the other form
    /// that such a URL may lead to.
    public static func certificatesOnly(
        _ authorities: [CertificateAuthority]
    ) throws(CertificateAuthorityError) -> [UInt8] {
        guard let message = unsafe PKCS7_new() else { throw CertificateAuthorityError(.outOfMemory) }
        defer { unsafe PKCS7_free(message) }
        guard unsafe PKCS7_set_type(message, NID_pkcs7_signed) == 1,
            unsafe PKCS7_content_new(message, NID_pkcs7_data) == 1
        else { throw CertificateAuthorityError(.encodingFailed) }
        for authority in authorities {
            for certificate in PEMCertificate.all(in: authority.certificatePEM)
            where unsafe PKCS7_add_certificate(message, certificate.pointer) != 1 {
                throw CertificateAuthorityError(.encodingFailed)
            }
        }
        return try unsafe encoded { target in unsafe i2d_PKCS7(message, target) }
    }

    private static func encoded(
        _ encoder: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) throws(CertificateAuthorityError) -> [UInt8] {
        let count = encoder(nil)
        guard count > 0 else { throw CertificateAuthorityError(.encodingFailed) }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            var cursor = buffer.baseAddress
            filled = unsafe Int(max(0, encoder(&cursor)))
        }
    }
}
