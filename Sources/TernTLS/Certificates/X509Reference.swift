// SPDX-License-Identifier: Apache-2.0
// Safety: everything here reads `pointer`, which is never nil, and copies its results before it returns.
import CTernOpenSSL

/// A reference-counted `X509`.
///
/// Safety: the pointer is never nil, holds one reference until `deinit`, and is only read; OpenSSL caches values inside
/// an `X509` under the object's own lock.
@safe final class X509Reference: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Retains a reference of its own.
    @unsafe init(retaining pointer: OpaquePointer) {
        unsafe X509_up_ref(pointer)
        unsafe self.pointer = pointer
    }

    deinit { unsafe X509_free(pointer) }

    /// Its identity, as long as it lives.
    var address: UInt { unsafe UInt(bitPattern: pointer) }

    var der: [UInt8] { unsafe Self.encode { target in unsafe i2d_X509(pointer, target) } }

    var subjectPublicKeyInfo: [UInt8] {
        unsafe Self.encode { target in unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), target) }
    }

    var subjectAlternativeNames: [SubjectAlternativeName] {
        defer { OpenSSLError.clear() }
        guard let extensionValue = unsafe X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(extensionValue)
        defer { unsafe GENERAL_NAMES_free(names) }
        return (0..<max(0, unsafe tern_GENERAL_NAMES_count(names))).compactMap { index in
            unsafe tern_GENERAL_NAMES_at(names, index).map { unsafe SubjectAlternativeName($0) }
        }
    }

    @unsafe static func text(of name: OpaquePointer?) -> String {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(bio) }
        // RFC 4514, but with letters outside ASCII left readable.
        let flags = tern_XN_FLAG_RFC2253 & ~UInt(ASN1_STRFLGS_ESC_MSB)
        unsafe X509_NAME_print_ex(bio, name, 0, flags)
        var data: UnsafeMutablePointer<CChar>?
        let count = unsafe tern_BIO_get_mem_data(bio, &data)
        let text = unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: max(0, count)), as: UTF8.self)
        return PrintableText.replacing(text) { scalar in
            scalar.utf8.map { "\\" + hexadecimal($0).uppercased() }.joined()
        }
    }

    /// The two calls of OpenSSL's encoders: one for the length, one for the bytes. Empty if OpenSSL fails.
    static func encode(_ encoder: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let length = encoder(nil)
        guard length > 0 else { return [] }
        return unsafe Array(unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var cursor = buffer.baseAddress
            count = unsafe Int(max(0, encoder(&cursor)))
        }
    }
}

/// The fields that the rules check.
///
/// Safety: reads only; pointers into the certificate do not leave the expression they occur in.
extension X509Reference {
    /// Certificates in use have about ten.
    static let maximumExtensions = 100

    /// 1, 2 or 3; others occur in broken certificates.
    var version: Int { unsafe X509_get_version(pointer) + 1 }

    func has(_ flag: Int32) -> Bool { unsafe X509_get_extension_flags(pointer) & UInt32(bitPattern: flag) != 0 }

    /// True for every use if keyUsage is absent.
    func mayUse(_ usage: Int32) -> Bool { unsafe X509_get_key_usage(pointer) & UInt32(bitPattern: usage) != 0 }

    var isSubjectEmpty: Bool { unsafe X509_NAME_entry_count(X509_get_subject_name(pointer)) == 0 }
    var isIssuerEmpty: Bool { unsafe X509_NAME_entry_count(X509_get_issuer_name(pointer)) == 0 }
    /// The subject's common names; a value that is not text is kept as stored.
    var commonNames: [String] {
        let subject = unsafe X509_get_subject_name(pointer)
        var names: [String] = []
        var index: Int32 = -1
        while true {
            index = unsafe X509_NAME_get_index_by_NID(subject, NID_commonName, index)
            guard index >= 0 else { return names }
            let value = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))
            let bytes = unsafe UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(value), count: Int(max(0, ASN1_STRING_length(value))))
            unsafe names.append(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Subject and issuer are the same.
    var isSelfIssued: Bool { has(EXFLAG_SI) }

    // Extensions

    var extensionCount: Int { unsafe Int(max(0, X509_get_ext_count(pointer))) }

    func hasExtension(_ kind: Int32) -> Bool { unsafe X509_get_ext_by_NID(pointer, kind, -1) >= 0 }

    /// Whether an extension has an empty value.
    func isExtensionEmpty(_ index: Int) -> Bool { unsafe bytesOfExtension(index).count <= 2 }

    @unsafe private func bytesOfExtension(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let data = unsafe X509_EXTENSION_get_data(X509_get_ext(pointer, Int32(clamping: index)))
        return unsafe UnsafeBufferPointer(
            start: ASN1_STRING_get0_data(data), count: Int(max(0, ASN1_STRING_length(data))))
    }

    /// `NID_…`, or `NID_undef` if OpenSSL has no name for it.
    func kindOfExtension(_ index: Int) -> Int32 {
        unsafe OBJ_obj2nid(X509_EXTENSION_get_object(X509_get_ext(pointer, Int32(clamping: index))))
    }

    func isExtensionCritical(_ index: Int) -> Bool {
        unsafe X509_EXTENSION_get_critical(X509_get_ext(pointer, Int32(clamping: index))) > 0
    }

    var hasDuplicateExtension: Bool {
        let count = Int32(clamping: min(extensionCount, Self.maximumExtensions))
        return (0..<count).contains { first in
            let object = unsafe X509_EXTENSION_get_object(X509_get_ext(pointer, first))
            return unsafe X509_get_ext_by_OBJ(pointer, object, first) >= 0
        }
    }

    var canReadAuthorityInfoAccess: Bool {
        defer { OpenSSLError.clear() }
        guard let access = unsafe X509_get_ext_d2i(pointer, NID_info_access, nil, nil) else { return false }
        unsafe AUTHORITY_INFO_ACCESS_free(OpaquePointer(access))
        return true
    }

    /// subjectAltName without a name.
    var hasEmptyNames: Bool { contentOfExtension(NID_subject_alt_name).count <= 2 }

    /// At least one subjectAltName; addresses of 4 or 16 bytes, and DNS names of visible characters (CVE-2009-2408). No
    /// more is required: the other names beside the one that a client looks for are often careless. Leaves may have
    /// hundreds of names, so this reads them in place.
    var hasConformingNames: Bool {
        guard var names = DERElements(sequence: contentOfExtension(NID_subject_alt_name)), !names.isAtEnd else {
            return false
        }
        while let name = names.next() {
            switch Int32(name.tag & 0x1f) {
            case GEN_DNS where name.content.isEmpty || !name.content.allSatisfy({ (0x21...0x7e).contains($0) }),
                GEN_IPADD where name.content.count != 4 && name.content.count != 16:
                return false
            default: break
            }
        }
        return names.isAtEnd
    }

    /// The bytes inside the first extension of a kind; empty without it.
    func contentOfExtension(_ kind: Int32) -> [UInt8] {
        let index = unsafe X509_get_ext_by_NID(pointer, kind, -1)
        return index < 0 ? [] : unsafe Array(bytesOfExtension(Int(index)))
    }

    // Numbers and dates

    /// The bytes of the number without its sign and without leading zeros.
    var serialNumberLength: Int { unsafe Int(max(0, ASN1_STRING_length(X509_get0_serialNumber(pointer)))) }

    var hasConformingSerialNumber: Bool {
        guard let number = unsafe X509_get0_serialNumber(pointer), unsafe ASN1_STRING_type(number) == V_ASN1_INTEGER
        else { return false }
        let isZero = unsafe serialNumberLength == 1 && ASN1_STRING_get0_data(number)?.pointee == 0
        return !isZero && (1...20).contains(serialNumberLength)
    }

    var hasConformingTimes: Bool {
        unsafe isConforming(X509_get0_notBefore(pointer)) && isConforming(X509_get0_notAfter(pointer))
    }

    /// UTCTime covers 1950 to 2049, and GeneralizedTime, which begins with the year in four digits, the rest.
    @unsafe private func isConforming(_ time: UnsafePointer<ASN1_TIME>?) -> Bool {
        guard unsafe ASN1_STRING_type(time) == V_ASN1_GENERALIZEDTIME else { return true }
        guard unsafe ASN1_STRING_length(time) >= 4 else { return false }
        let year = unsafe UnsafeBufferPointer(start: ASN1_STRING_get0_data(time), count: 4)
        return unsafe !year.lexicographicallyPrecedes("2050".utf8)
    }
}

/// DER in places where OpenSSL's parser is lenient and other parsers might read something else.
///
/// Safety: reads only; pointers into the certificate do not leave the expression they occur in.
extension X509Reference {
    /// Whether the bytes of an extension are exactly one value of its type.
    func isExtensionOneValue(_ index: Int, of kind: Int32) -> Bool {
        var elements = DERElements(unsafe Array(bytesOfExtension(index))[...])
        guard let value = elements.next(), elements.isAtEnd else { return false }
        return switch kind {
        case NID_subject_key_identifier: value.tag == 0x04
        case NID_key_usage: value.tag == 0x03 && Self.hasUnusedBitsZero(value.content)
        case NID_basic_constraints: value.tag == 0x30 && Self.beginsWithPlainBoolean(value.content)
        default: value.tag == 0x30
        }
    }

    /// X.690 §11.2.1, of the content of a BIT STRING.
    private static func hasUnusedBitsZero(_ content: ArraySlice<UInt8>) -> Bool {
        guard let unused = content.first, unused < 8, let last = content.dropFirst().last else { return false }
        return last & ((1 << unused) &- 1) == 0
    }

    /// X.690 §11.1: TRUE is all ones. FALSE, which §11.5 omits as the default, is written out by old tools.
    private static func beginsWithPlainBoolean(_ content: ArraySlice<UInt8>) -> Bool {
        var fields = DERElements(content)
        guard let first = fields.next(), first.tag == 0x01 else { return true }
        return first.content == [0xff] || first.content == [0]
    }

    /// Whether nsCertType has the bit for authorities of TLS servers, or is absent.
    var mayIssueByCertificateType: Bool {
        guard hasExtension(NID_netscape_cert_type) else { return true }
        var elements = DERElements(contentOfExtension(NID_netscape_cert_type)[...])
        guard let value = elements.next(), value.tag == 0x03, let bits = value.content.dropFirst().first else {
            return false
        }
        return Int32(bits) & NS_SSL_CA != 0
    }
}

extension X509Reference {
    /// The key's algorithm, with the curve or the size, for example `EC prime256v1` or `RSA 2048`; empty if OpenSSL
    /// cannot read it.
    var keyDescription: String {
        defer { OpenSSLError.clear() }
        guard let key = unsafe X509_get0_pubkey(pointer) else { return "" }
        let algorithm = unsafe String(cStringOrEmpty: EVP_PKEY_get0_type_name(key))
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else {
            return unsafe algorithm + " \(EVP_PKEY_get_bits(key))"
        }
        return algorithm + " " + String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The security strength of the key in bits; 0 if OpenSSL cannot read it.
    var keySecurityBits: Int {
        defer { OpenSSLError.clear() }
        guard let key = unsafe X509_get0_pubkey(pointer) else { return 0 }
        return unsafe Int(max(0, EVP_PKEY_get_security_bits(key)))
    }

    /// The signature's algorithm, for example `ecdsa-with-SHA256`.
    var signatureDescription: String {
        unsafe String(cStringOrEmpty: OBJ_nid2ln(X509_get_signature_nid(pointer)))
    }

    /// The security strength of the signature's hash in bits; 0 if OpenSSL does not know it.
    var signatureSecurityBits: Int {
        defer { OpenSSLError.clear() }
        var bits: Int32 = 0
        return unsafe X509_get_signature_info(pointer, nil, nil, &bits, nil) == 1 ? Int(max(0, bits)) : 0
    }

    /// Whether the certificate may issue certificates (`basicConstraints` with `CA:TRUE`).
    var isAuthority: Bool { unsafe X509_check_ca(pointer) == 1 }

    /// An extension in OpenSSL's text form, on one line; nil if there is none.
    func text(ofExtension identifier: Int32) -> String? {
        defer { OpenSSLError.clear() }
        let position = unsafe X509_get_ext_by_NID(pointer, identifier, -1)
        guard position >= 0, let found = unsafe X509_get_ext(pointer, position), let bio = unsafe BIO_new(BIO_s_mem())
        else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe X509V3_EXT_print(bio, found, 0, 0) == 1 else { return "unreadable" }
        var data: UnsafeMutablePointer<CChar>?
        let count = unsafe tern_BIO_get_mem_data(bio, &data)
        let text = unsafe String(
            decoding: UnsafeRawBufferPointer(start: data, count: max(0, count)), as: UTF8.self)
        let lines = text.split(separator: "\n").map { line in String(line.drop { $0 == " " }) }
        return lines.map { PrintableText.replacing($0) { _ in "?" } }.joined(separator: ", ")
    }
}
