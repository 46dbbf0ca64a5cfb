// SPDX-License-Identifier: Apache-2.0
// Safety: everything here reads `pointer`, which is never nil, and copies its results before it returns.
import CTernOpenSSL

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
