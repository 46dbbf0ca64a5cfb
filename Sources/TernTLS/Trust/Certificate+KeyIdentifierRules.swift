// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension Certificate {
    /// RFC 5280 §A.2: authorityKeyIdentifier has the issuer and its serial number both, or neither. Either without a key
    /// identifier is common in roots: OpenSSL's `keyid,issuer` makes the one, its `keyid` an empty one.
    var hasConformingKeyIdentifier: Bool {
        unsafe (X509_get0_authority_issuer(x509.pointer) == nil) == (X509_get0_authority_serial(x509.pointer) == nil)
    }

    /// RFC 5280 §4.2.1.2: the key identifier by which a certificate names its issuer is the issuer's. Tools that leave it
    /// out of an authority's certificate leave it out of what the authority issues; only roots were seen to differ.
    func lacksKeyIdentifier(namedBy issued: Certificate, at place: CertificateRule.Place) -> Bool {
        guard !place.isAnchor, unsafe X509_get0_subject_key_id(x509.pointer) == nil else { return false }
        return unsafe X509_get0_authority_key_id(issued.x509.pointer) != nil
    }

    /// Whether all that a self-signed certificate says about its issuer is true of itself. OpenSSL calls it self-signed
    /// then, without having verified it; what an older key of the same authority has signed (RFC 4210 §4.4) is not.
    var namesItselfAsIssuer: Bool {
        guard x509.isSelfIssued, !x509.has(EXFLAG_SS) else { return true }
        defer { OpenSSLError.clear() }
        return unsafe X509_verify(x509.pointer, X509_get0_pubkey(x509.pointer)) != 1
    }
}
