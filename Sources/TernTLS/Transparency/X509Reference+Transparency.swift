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

    /// The signed part as it was before the timestamps were added (RFC 6962 §3.2), with all other bytes as they are; nil if
    /// there are none, or several. OpenSSL would read the whole certificate once more, its key included, to remove one
    /// extension, which costs more than to verify a signature.
    var signedPartWithoutTimestamps: [UInt8]? {
        guard var outer = DERElements(sequence: der), let signed = outer.next(), signed.tag == 0x30 else {
            return nil
        }
        var fields = DERElements(signed.content)
        var kept: [UInt8] = []
        kept.reserveCapacity(signed.content.count)
        var hasTimestamps = false
        while let field = fields.next() {
            guard field.tag == Self.extensionsTag else {
                kept += DERElements.element(field.tag, field.content)
                continue
            }
            guard !hasTimestamps, let extensions = Self.withoutTimestamps(field.content) else { return nil }
            hasTimestamps = true
            if !extensions.isEmpty {
                kept += DERElements.element(field.tag, DERElements.element(0x30, extensions))
            }
        }
        return hasTimestamps && fields.isAtEnd ? DERElements.element(0x30, kept) : nil
    }

    /// `[3]`, explicit (RFC 5280 §4.1).
    private static let extensionsTag: UInt8 = 0xa3
    /// 1.3.6.1.4.1.11129.2.4.2.
    private static let timestampsIdentifier: [UInt8] = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02]

    /// The extensions but for that of timestamps; nil unless there is exactly one. Where chains are validated, a second one is
    /// refused; a log has never seen such a certificate.
    private static func withoutTimestamps(_ content: ArraySlice<UInt8>) -> [UInt8]? {
        guard var extensions = DERElements(sequence: Array(content)) else { return nil }
        var kept: [UInt8] = []
        var count = 0
        while let element = extensions.next() {
            var parts = DERElements(element.content)
            if let identifier = parts.next(), identifier.tag == 0x06,
                identifier.content.elementsEqual(timestampsIdentifier)
            {
                count += 1
            } else {
                kept += DERElements.element(element.tag, element.content)
            }
        }
        return extensions.isAtEnd && count == 1 ? kept : nil
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
