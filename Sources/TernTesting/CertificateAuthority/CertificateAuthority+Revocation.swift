// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is freed where it was created; comments mark stacks and responses that take ownership of a
// pointer.
import CTernOpenSSL

/// The status of a certificate according to its authority.
public enum RevocationStatus: Sendable, Hashable {
    /// Issued, and not revoked.
    case good
    /// Revoked at this moment, in seconds since 1970-01-01T00:00:00Z.
    case revoked(at: Int64)
    /// The responder does not know it.
    case unknown
}

extension CertificateAuthority {
    /// Returns a DER `OCSPResponse` about a certificate of this authority.
    ///
    /// - Parameters:
    ///   - identity: the certificate.
    ///   - status: its status.
    ///   - validity: `thisUpdate` and `nextUpdate`.
    ///   - signer: the signer with its certificate; the authority itself if nil.
    ///   - digest: the hash of the signature.
    public func ocspResponse(
        about identity: Identity, _ status: RevocationStatus, validity: Validity = .days(-1, to: 1),
        signedBy signer: Identity? = nil, digest: SignatureDigest = .sha256
    ) throws(CertificateAuthorityError) -> [UInt8] {
        guard let basic = unsafe OCSP_BASICRESP_new() else { throw CertificateAuthorityError(.outOfMemory) }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        guard let leaf = PEMCertificate.all(in: identity.certificatePEM).first,
            let issuer = PEMCertificate.all(in: certificatePEM).first,
            let id = unsafe OCSP_cert_to_id(EVP_sha1(), leaf.pointer, issuer.pointer)
        else { throw CertificateAuthorityError(.encodingFailed) }
        defer { unsafe OCSP_CERTID_free(id) }
        let this = unsafe Self.generalizedTime(validity.notBefore)
        let next = unsafe Self.generalizedTime(validity.notAfter)
        defer {
            unsafe ASN1_TIME_free(this)
            unsafe ASN1_TIME_free(next)
        }
        var revocation: UnsafeMutablePointer<ASN1_TIME>?
        defer { unsafe ASN1_TIME_free(revocation) }
        let code: Int32
        switch status {
        case .good: code = V_OCSP_CERTSTATUS_GOOD
        case .revoked(let time):
            code = V_OCSP_CERTSTATUS_REVOKED
            unsafe revocation = Self.generalizedTime(time)
        case .unknown: code = V_OCSP_CERTSTATUS_UNKNOWN
        }
        guard
            unsafe OCSP_basic_add1_status(basic, id, code, OCSP_REVOKED_STATUS_NOSTATUS, revocation, this, next) != nil
        else { throw CertificateAuthorityError(.encodingFailed) }
        try unsafe sign(basic, signer, digest)
        guard let response = unsafe OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic) else {
            throw CertificateAuthorityError(.encodingFailed)
        }
        defer { unsafe OCSP_RESPONSE_free(response) }
        return unsafe Self.encode { target in unsafe i2d_OCSP_RESPONSE(response, target) }
    }

    /// Returns a DER `CertificateList` of this authority.
    public func revocationList(
        revoking identities: [Identity], validity: Validity = .days(-1, to: 1), digest: SignatureDigest = .sha256
    ) throws(CertificateAuthorityError) -> [UInt8] {
        guard let list = unsafe X509_CRL_new() else { throw CertificateAuthorityError(.outOfMemory) }
        defer { unsafe X509_CRL_free(list) }
        let this = unsafe ASN1_TIME_set(nil, time_t(validity.notBefore))
        let next = unsafe ASN1_TIME_set(nil, time_t(validity.notAfter))
        defer {
            unsafe ASN1_TIME_free(this)
            unsafe ASN1_TIME_free(next)
        }
        guard let issuer = PEMCertificate.all(in: certificatePEM).first,
            unsafe X509_CRL_set_version(list, 1) == 1,
            unsafe X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer.pointer)) == 1,
            unsafe X509_CRL_set1_lastUpdate(list, this) == 1, unsafe X509_CRL_set1_nextUpdate(list, next) == 1
        else { throw CertificateAuthorityError(.encodingFailed) }
        for identity in identities {
            guard let entry = unsafe X509_REVOKED_new(),
                let leaf = PEMCertificate.all(in: identity.certificatePEM).first,
                unsafe X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(leaf.pointer)) == 1,
                unsafe X509_REVOKED_set_revocationDate(entry, this) == 1,
                unsafe X509_CRL_add0_revoked(list, entry) == 1
            else { throw CertificateAuthorityError(.encodingFailed) }
        }
        let key = unsafe Self.key(privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe X509_CRL_sign(list, key, EVP_get_digestbyname(digest.rawValue)) > 0 else {
            throw CertificateAuthorityError(.signingFailed(digest))
        }
        return unsafe Self.encode { target in unsafe i2d_X509_CRL(list, target) }
    }

    private func sign(
        _ basic: OpaquePointer, _ signer: Identity?, _ digest: SignatureDigest
    ) throws(CertificateAuthorityError) {
        let key = unsafe Self.key(signer?.privateKeyPEM ?? privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = PEMCertificate.all(in: signer?.certificatePEM ?? certificatePEM).first,
            unsafe OCSP_basic_sign(
                basic, certificate.pointer, key, EVP_get_digestbyname(digest.rawValue), nil,
                signer == nil ? UInt(OCSP_NOCERTS) : 0) == 1
        else { throw CertificateAuthorityError(.signingFailed(digest)) }
    }

    /// The time format of OCSP (RFC 6960 §4.2.1), whatever the year.
    private static func generalizedTime(_ seconds: Int64) -> UnsafeMutablePointer<ASN1_GENERALIZEDTIME>? {
        unsafe ASN1_GENERALIZEDTIME_set(nil, time_t(seconds))
    }

    private static func key(_ pem: String) -> OpaquePointer? {
        unsafe PEMCertificate.read(pem) { unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    }

    private static func encode(_ encoder: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = encoder(nil)
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            var cursor = buffer.baseAddress
            filled = unsafe Int(max(0, encoder(&cursor)))
        }
    }
}
