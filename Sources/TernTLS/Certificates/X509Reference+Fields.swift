// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

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

    @unsafe func bytesOfExtension(_ index: Int) -> UnsafeBufferPointer<UInt8> {
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
