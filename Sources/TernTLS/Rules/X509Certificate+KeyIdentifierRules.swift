// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// RFC 5280 §A.2: authorityKeyIdentifier has both the issuer and its serial number, or neither. Either form without
    /// a key identifier is common in roots: OpenSSL's `keyid,issuer` makes the first, its `keyid` an empty one.
    var hasConformingKeyIdentifier: Bool {
        unsafe (X509_get0_authority_issuer(x509.pointer) == nil) == (X509_get0_authority_serial(x509.pointer) == nil)
    }

    /// RFC 5280 §4.2.1.2: the key identifier by which a certificate names its issuer is the issuer's. Tools that omit
    /// it from an authority's certificate also omit it from the certificates it issues; only roots are known to differ.
    func lacksKeyIdentifier(namedBy issued: X509Certificate, at place: CertificateRule.Place) -> Bool {
        guard !place.isAnchor, unsafe X509_get0_subject_key_id(x509.pointer) == nil else { return false }
        return unsafe X509_get0_authority_key_id(issued.x509.pointer) != nil
    }

    /// Whether a certificate signed with its own key claims another signer. A change of keys is different: there an
    /// older key of the same authority has signed (RFC 4210 §4.4).
    var namesForeignKey: Bool {
        // OpenSSL calls a certificate that names itself self-signed without verifying it.
        guard x509.isSelfIssued, !x509.has(EXFLAG_SS), let named = unsafe X509_get0_authority_key_id(x509.pointer),
            let own = unsafe X509_get0_subject_key_id(x509.pointer), unsafe ASN1_OCTET_STRING_cmp(named, own) != 0
        else { return false }
        defer { OpenSSLError.clear() }
        return unsafe X509_verify(x509.pointer, X509_get0_pubkey(x509.pointer)) == 1
    }
}
