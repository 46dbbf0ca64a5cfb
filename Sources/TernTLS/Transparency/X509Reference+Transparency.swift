// SPDX-License-Identifier: Apache-2.0
// Safety: reads only; copies are freed where they are made.
import CTernOpenSSL

// The timestamps in a certificate (RFC 6962 §3.3), and what logs signed for them.
extension X509Reference {
    /// The `SignedCertificateTimestampList` in the certificate; nil if there is none, empty if it cannot be read.
    var timestampList: [UInt8]? {
        guard hasExtension(NID_ct_precert_scts) else { return nil }
        return Self.octets(contentOfExtension(NID_ct_precert_scts)) ?? []
    }

    /// The content of the bytes, if they are exactly one OCTET STRING.
    static func octets(_ der: [UInt8]) -> [UInt8]? {
        var elements = DERElements(der[...])
        guard let string = elements.next(), string.tag == 0x04, elements.isAtEnd else { return nil }
        return Array(string.content)
    }

    /// The signed part as it was before the timestamps were added; nil if it cannot be made.
    var signedPartWithoutTimestamps: [UInt8]? {
        defer { OpenSSLError.clear() }
        guard let copy = unsafe X509_dup(pointer) else { return nil }
        defer { unsafe X509_free(copy) }
        let index = unsafe X509_get_ext_by_NID(copy, NID_ct_precert_scts, -1)
        guard index >= 0, let removed = unsafe X509_delete_ext(copy, index) else { return nil }
        unsafe X509_EXTENSION_free(removed)
        // A second one is refused where chains are validated; a log has never seen such a certificate.
        guard unsafe X509_get_ext_by_NID(copy, NID_ct_precert_scts, -1) < 0 else { return nil }
        let encoded = unsafe Self.encode { target in unsafe i2d_re_X509_tbs(copy, target) }
        return encoded.isEmpty ? nil : encoded
    }
}

extension OCSPResponse {
    /// The `SignedCertificateTimestampList` of each entry that has one. Whether the response itself is authentic does not
    /// matter: a log's signature is for one certificate.
    var timestampLists: [[UInt8]] {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard let basic = unsafe basic else { return [] }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        // A staple has one entry.
        return (0..<min(8, max(0, unsafe OCSP_resp_count(basic)))).compactMap { index -> [UInt8]? in
            guard let single = unsafe OCSP_resp_get0(basic, index),
                case let position = unsafe OCSP_SINGLERESP_get_ext_by_NID(single, NID_ct_cert_scts, -1), position >= 0,
                let data = unsafe X509_EXTENSION_get_data(OCSP_SINGLERESP_get_ext(single, position))
            else { return nil }
            let bytes = unsafe Array(
                UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(max(0, ASN1_STRING_length(data)))))
            return X509Reference.octets(bytes) ?? []
        }
    }
}
