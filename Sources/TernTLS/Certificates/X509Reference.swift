// SPDX-License-Identifier: Apache-2.0
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
