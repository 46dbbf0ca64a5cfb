// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

// The places where a certificate's revocation can be queried, and its issuer fetched, and whether its server must staple.
extension X509Reference {
    /// RFC 7633 §4.2.3: the certificate's server must staple a response for clients that request one (`status_request`,
    /// 5).
    var demandsStaple: Bool { features?.contains { $0.elementsEqual([5]) } ?? false }

    /// Whether the TLS features are a list of numbers (RFC 7633 §4.1), or absent: what is no list may be one that requires a
    /// staple.
    var hasReadableFeatures: Bool { !hasExtension(NID_tlsfeature) || features != nil }

    /// Nil without, and for anything but a list of numbers.
    private var features: [ArraySlice<UInt8>]? {
        guard hasExtension(NID_tlsfeature), var list = DERElements(sequence: contentOfExtension(NID_tlsfeature)) else {
            return nil
        }
        var features: [ArraySlice<UInt8>] = []
        while let feature = list.next() {
            guard feature.tag == 0x02, !feature.content.isEmpty else { return nil }
            features.append(feature.content)
        }
        return list.isAtEnd ? features : nil
    }

    /// The responders of authorityInfoAccess (RFC 5280 §4.2.2.1).
    var responderURLs: [String] {
        defer { OpenSSLError.clear() }
        guard let stack = unsafe X509_get1_ocsp(pointer) else { return [] }
        defer { unsafe X509_email_free(stack) }
        return (0..<max(0, unsafe tern_string_stack_count(stack))).compactMap { index in
            unsafe Self.url(String(cStringOrEmpty: tern_string_stack_at(stack, index)))
        }
    }

    /// The places of the issuer's certificate in authorityInfoAccess (RFC 5280 §4.2.2.1).
    var issuerURLs: [String] {
        defer { OpenSSLError.clear() }
        guard let value = unsafe X509_get_ext_d2i(pointer, NID_info_access, nil, nil) else { return [] }
        let access = OpaquePointer(value)
        defer { unsafe AUTHORITY_INFO_ACCESS_free(access) }
        return (0..<max(0, unsafe tern_AUTHORITY_INFO_ACCESS_count(access))).compactMap { index in
            guard let description = unsafe tern_AUTHORITY_INFO_ACCESS_at(access, index),
                unsafe OBJ_obj2nid(description.pointee.method) == NID_ad_ca_issuers,
                let name = unsafe description.pointee.location
            else { return nil }
            return unsafe Self.url(of: name)
        }
    }

    /// The URLs of cRLDistributionPoints (RFC 5280 §4.2.1.13), except lists of other issuers and lists for some reasons
    /// only.
    var listURLs: [String] {
        defer { OpenSSLError.clear() }
        guard let value = unsafe X509_get_ext_d2i(pointer, NID_crl_distribution_points, nil, nil) else { return [] }
        let points = OpaquePointer(value)
        defer { unsafe CRL_DIST_POINTS_free(points) }
        return (0..<max(0, unsafe tern_DIST_POINTS_count(points))).flatMap { index -> [String] in
            guard let point = unsafe tern_DIST_POINTS_at(points, index), unsafe point.pointee.CRLissuer == nil,
                unsafe point.pointee.reasons == nil, let names = unsafe tern_DIST_POINT_full_name(point)
            else { return [] }
            return (0..<max(0, unsafe tern_GENERAL_NAMES_count(names))).compactMap { index in
                unsafe tern_GENERAL_NAMES_at(names, index).flatMap { unsafe Self.url(of: $0) }
            }
        }
    }

    @unsafe private static func url(of name: UnsafeMutablePointer<GENERAL_NAME>) -> String? {
        guard unsafe name.pointee.type == GEN_URI, let text = unsafe name.pointee.d.uniformResourceIdentifier else {
            return nil
        }
        return unsafe url(
            String(
                decoding: UnsafeBufferPointer(
                    start: ASN1_STRING_get0_data(text), count: Int(max(0, ASN1_STRING_length(text)))),
                as: UTF8.self))
    }

    /// Nil for text that is not a URL, so that a fetcher never receives malformed text. Without user information: a
    /// certificate is public, and so is what it would have clients send.
    private static func url(_ text: String) -> String? {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        // RFC 3986 §3.2: the authority begins after two slashes, and ends at the next one, "?" or "#".
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return text }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(text[..<rest.startIndex] + rest[rest.index(after: at)...])
    }
}

// What revocation knows certificates by.
extension X509Reference {
    /// The content of the serial number's DER INTEGER.
    var serialNumber: [UInt8] {
        let encoding = unsafe Self.encode { target in unsafe i2d_ASN1_INTEGER(X509_get0_serialNumber(pointer), target) }
        var elements = DERElements(encoding[...])
        return elements.next().map { Array($0.content) } ?? []
    }

    var issuerName: [UInt8] {
        unsafe Self.encode { target in unsafe i2d_X509_NAME(X509_get_issuer_name(pointer), target) }
    }

    var subjectName: [UInt8] {
        unsafe Self.encode { target in unsafe i2d_X509_NAME(X509_get_subject_name(pointer), target) }
    }
}
