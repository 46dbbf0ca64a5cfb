// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A certificate that is not signed yet: the shared parts of leaf and authority requests.
struct CertificateTemplate {
    var commonName: String?
    private var alternativeNames: [AlternativeName] = []
    var validity: Validity
    var digest: SignatureDigest
    var extensions: [CertificateExtension]
    var flaws: CertificateFlaws

    fileprivate enum AlternativeName {
        case dns(String), ip(String), uri(String)
    }

    init(_ request: LeafRequest) {
        commonName = request.flaws.hasEmptySubject ? nil : request.commonName
        flaws = request.flaws
        alternativeNames =
            request.dnsNames.map { .dns($0) } + request.ipAddresses.map { .ip($0) } + request.uris.map { .uri($0) }
        validity = request.validity
        digest = request.digest
        extensions = Self.merge(
            [
                CertificateExtension("basicConstraints", "critical,CA:FALSE"),
                CertificateExtension("keyUsage", "critical,digitalSignature"),
                CertificateExtension("extendedKeyUsage", "serverAuth"),
            ], request.extensions)
    }

    init(_ request: AuthorityRequest) {
        commonName = request.flaws.hasEmptySubject ? nil : request.commonName
        flaws = request.flaws
        validity = request.validity
        digest = request.digest
        extensions = Self.merge(
            [
                CertificateExtension("basicConstraints", "critical,CA:TRUE"),
                CertificateExtension("keyUsage", "critical,keyCertSign,cRLSign"),
            ], request.extensions)
    }

    /// Signs with the issuer's key; no issuer means self-signed.
    func sign(
        for key: PrivateKey, issuer: (certificate: SignedCertificate, key: PrivateKey)?
    ) throws(CertificateAuthorityError) -> SignedCertificate {
        guard let x509 = unsafe X509_new() else { throw CertificateAuthorityError(.outOfMemory) }
        let certificate = unsafe SignedCertificate(owning: x509)
        unsafe X509_set_version(x509, 2)
        try unsafe setSerialNumber(x509)
        try unsafe setTime(X509_getm_notBefore(x509), validity.notBefore)
        if let text = flaws.notBefore { try unsafe setTime(X509_getm_notBefore(x509), text) }
        try unsafe setTime(X509_getm_notAfter(x509), validity.notAfter)
        try unsafe setSubject(x509)
        let issuerPointer = unsafe issuer?.certificate.pointer ?? x509
        guard unsafe X509_set_pubkey(x509, key.pointer) == 1 else { throw CertificateAuthorityError(.encodingFailed) }
        if flaws.hasUnknownKeyAlgorithm { try unsafe renameKeyAlgorithm(x509) }
        try unsafe setIssuer(x509, issuerPointer)
        try unsafe addAlternativeNames(x509)
        try unsafe addExtensions(x509, issuer: issuerPointer)
        let signingKey = issuer?.key ?? key
        guard unsafe X509_sign(x509, signingKey.pointer, messageDigest(for: signingKey)) > 0 else {
            throw CertificateAuthorityError(.signingFailed(digest))
        }
        if let version = flaws.version { try unsafe setVersion(x509, version, signedBy: signingKey) }
        return try flaws.apply(to: certificate)
    }

    /// OpenSSL does not sign extensions in a version that forbids them, so the certificate is signed again.
    private func setVersion(
        _ x509: OpaquePointer, _ version: Int, signedBy key: PrivateKey
    ) throws(CertificateAuthorityError) {
        var signature: UnsafePointer<ASN1_BIT_STRING>?
        unsafe X509_get0_signature(&signature, nil, x509)
        guard unsafe X509_set_version(x509, version - 1) == 1, let context = unsafe EVP_MD_CTX_new() else {
            throw CertificateAuthorityError(.outOfMemory)
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signed: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_re_X509_tbs(x509, &signed)
        defer { unsafe CRYPTO_free(signed, nil, 0) }
        var (bytes, length) = ([UInt8](repeating: 0, count: 1024), 1024)
        guard count > 0, let signature = unsafe signature,
            unsafe EVP_DigestSignInit(context, nil, messageDigest(for: key), nil, key.pointer) == 1,
            unsafe EVP_DigestSign(context, &bytes, &length, signed, Int(count)) == 1,
            unsafe ASN1_STRING_set(UnsafeMutablePointer(mutating: signature), bytes, Int32(clamping: length)) == 1
        else { throw CertificateAuthorityError(.signingFailed(digest)) }
    }

    private func setIssuer(_ x509: OpaquePointer, _ issuer: OpaquePointer) throws(CertificateAuthorityError) {
        let name = unsafe X509_NAME_dup(X509_get_subject_name(issuer))
        defer { unsafe X509_NAME_free(name) }
        if flaws.hasEmptyIssuer || flaws.issuerCommonName != nil {
            while unsafe X509_NAME_entry_count(name) > 0 {
                unsafe X509_NAME_ENTRY_free(X509_NAME_delete_entry(name, 0))
            }
        }
        if let other = flaws.issuerCommonName { try unsafe add(commonName: other, to: name) }
        guard unsafe X509_set_issuer_name(x509, name) == 1 else { throw CertificateAuthorityError(.encodingFailed) }
    }

    private static func merge(
        _ defaults: [CertificateExtension], _ overrides: [CertificateExtension]
    ) -> [CertificateExtension] {
        let identifiers = [
            CertificateExtension("subjectKeyIdentifier", "hash"),
            CertificateExtension("authorityKeyIdentifier", "keyid"),
        ]
        let kept = (defaults + identifiers).filter { standard in !overrides.contains { $0.name == standard.name } }
        return kept + overrides
    }

    private func setSerialNumber(_ x509: OpaquePointer) throws(CertificateAuthorityError) {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe RAND_bytes(&bytes, 16) == 1 else { throw CertificateAuthorityError(.encodingFailed) }
        bytes[0] = bytes[0] & 0x7f | 0x40
        if let wanted = flaws.serialNumber { bytes = wanted }
        let number = unsafe BN_bin2bn(bytes, Int32(clamping: bytes.count), nil)
        defer { unsafe BN_free(number) }
        unsafe BN_set_negative(number, flaws.hasNegativeSerialNumber ? 1 : 0)
        guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x509)) != nil else {
            throw CertificateAuthorityError(.encodingFailed)
        }
    }

    private func setTime(
        _ field: UnsafeMutablePointer<ASN1_TIME>?, _ seconds: Int64
    ) throws(CertificateAuthorityError) {
        let set = unsafe ASN1_TIME_set(field, time_t(seconds)) != nil
        guard set, unsafe !flaws.usesGeneralizedTime || ASN1_GENERALIZEDTIME_set(field, time_t(seconds)) != nil else {
            throw CertificateAuthorityError(.invalidTime(seconds))
        }
    }

    private func setTime(
        _ field: UnsafeMutablePointer<ASN1_TIME>?, _ text: String
    ) throws(CertificateAuthorityError) {
        guard let time = unsafe ASN1_STRING_type_new(V_ASN1_UTCTIME) else {
            throw CertificateAuthorityError(.outOfMemory)
        }
        defer { unsafe ASN1_STRING_free(time) }
        let bytes = Array(text.utf8)
        guard unsafe ASN1_STRING_set(time, bytes, Int32(clamping: bytes.count)) == 1,
            unsafe ASN1_STRING_copy(field, time) == 1
        else { throw CertificateAuthorityError(.encodingFailed) }
    }

    /// The key itself is unchanged.
    private func renameKeyAlgorithm(_ x509: OpaquePointer) throws(CertificateAuthorityError) {
        guard let unknown = unsafe OBJ_txt2obj("1.3.6.1.4.1.99999.2", 1) else {
            throw CertificateAuthorityError(.outOfMemory)
        }
        guard
            unsafe X509_PUBKEY_set0_param(X509_get_X509_PUBKEY(x509), unknown, V_ASN1_UNDEF, nil, nil, 0) == 1
        else {
            unsafe ASN1_OBJECT_free(unknown)
            throw CertificateAuthorityError(.encodingFailed)
        }
    }

    private func setSubject(_ x509: OpaquePointer) throws(CertificateAuthorityError) {
        guard let commonName else { return }
        try unsafe add(commonName: commonName, to: X509_get_subject_name(x509))
    }

    @unsafe private func add(commonName: String, to name: OpaquePointer?) throws(CertificateAuthorityError) {
        let bytes = Array(commonName.utf8)
        let added = unsafe X509_NAME_add_entry_by_NID(
            name, NID_commonName, MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0)
        guard added == 1 else { throw CertificateAuthorityError(.invalidName(commonName)) }
    }

    private func addAlternativeNames(_ x509: OpaquePointer) throws(CertificateAuthorityError) {
        guard !alternativeNames.isEmpty else { return }
        let names = unsafe tern_GENERAL_NAMES_new()
        defer { unsafe GENERAL_NAMES_free(names) }
        for alternative in alternativeNames {
            let name = try unsafe alternative.generalName()
            guard unsafe tern_GENERAL_NAMES_push(names, name) > 0 else {
                unsafe GENERAL_NAME_free(name)
                throw CertificateAuthorityError(.outOfMemory)
            }
        }
        let critical: Int32 = commonName == nil ? 1 : 0  // RFC 5280 §4.1.2.6: an empty subject makes it critical.
        let added = unsafe X509_add1_ext_i2d(x509, NID_subject_alt_name, UnsafeMutableRawPointer(names), critical, 0)
        guard added == 1 else { throw CertificateAuthorityError(.encodingFailed) }
    }

    private func addExtensions(_ x509: OpaquePointer, issuer: OpaquePointer) throws(CertificateAuthorityError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer, x509, nil, nil, 0)
        for wanted in extensions {
            guard let value = wanted.value else { continue }
            guard let made = unsafe X509V3_EXT_nconf(nil, &context, wanted.name, value) else {
                throw CertificateAuthorityError(.invalidExtension(wanted))
            }
            defer { unsafe X509_EXTENSION_free(made) }
            guard unsafe X509_add_ext(x509, made, -1) == 1 else { throw CertificateAuthorityError(.encodingFailed) }
        }
    }

    private func messageDigest(for key: PrivateKey) -> OpaquePointer? {
        if unsafe EVP_PKEY_get_id(key.pointer) == EVP_PKEY_ED25519 { return nil }
        return unsafe EVP_get_digestbyname(digest.rawValue)
    }
}

extension CertificateTemplate.AlternativeName {
    /// The caller owns the result.
    fileprivate func generalName() throws(CertificateAuthorityError) -> UnsafeMutablePointer<GENERAL_NAME> {
        let (kind, value): (Int32, UnsafeMutablePointer<ASN1_STRING>) =
            switch self {
            case .dns(let text): unsafe (GEN_DNS, try ia5(text))
            case .uri(let text): unsafe (GEN_URI, try ia5(text))
            case .ip(let text): unsafe (GEN_IPADD, try address(text))
            }
        guard let name = unsafe GENERAL_NAME_new() else {
            unsafe ASN1_STRING_free(value)
            throw CertificateAuthorityError(.outOfMemory)
        }
        unsafe GENERAL_NAME_set0_value(name, kind, value)
        return unsafe name
    }

    private func ia5(_ text: String) throws(CertificateAuthorityError) -> UnsafeMutablePointer<ASN1_STRING> {
        let bytes = Array(text.utf8)
        guard let string = unsafe ASN1_STRING_type_new(V_ASN1_IA5STRING),
            unsafe ASN1_STRING_set(string, bytes, Int32(clamping: bytes.count)) == 1
        else { throw CertificateAuthorityError(.invalidName(text)) }
        return unsafe string
    }

    private func address(_ text: String) throws(CertificateAuthorityError) -> UnsafeMutablePointer<ASN1_STRING> {
        guard let address = unsafe a2i_IPADDRESS(text) else { throw CertificateAuthorityError(.invalidAddress(text)) }
        return unsafe address
    }
}
