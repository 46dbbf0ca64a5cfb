// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is freed where it was created; comments mark stacks and responses that take ownership of a
// pointer.
import CTernOpenSSL

/// A temporary certificate authority in memory: a root, intermediates below it, and leaves of every form, valid and
/// invalid, that a client must distinguish.
///
/// ```swift
/// let root = try CertificateAuthority()
/// let server = try root.issueIntermediate().issue(.localhost)
/// ```
/// Immutable, so any thread may use it.
public final class CertificateAuthority: Sendable {
    /// The authority's own certificate: the anchor for a client.
    public let certificatePEM: String
    /// PKCS#8, not encrypted; for a second certificate of the same key.
    public let privateKeyPEM: String
    /// `sha256/BASE64` of the authority's SubjectPublicKeyInfo.
    public let pin: String

    private let certificate: SignedCertificate
    private let key: PrivateKey
    private let commonName: String
    /// The certificates after a leaf in a server's list: this authority and those above it, without the root.
    private let chainPEM: String

    /// A self-signed root.
    public convenience init(
        commonName: String = "Tern Test Root CA", key: KeyKind = .p256, validity: Validity = .days(-2, to: 3650)
    ) throws(CertificateAuthorityError) {
        try self.init(AuthorityRequest(commonName: commonName, key: key, validity: validity))
    }

    /// Creates a self-signed root of any form.
    public convenience init(_ request: AuthorityRequest) throws(CertificateAuthorityError) {
        let key = try PrivateKey(request.key)
        try self.init(request, key: key, issuer: nil)
    }

    private init(
        _ request: AuthorityRequest, key: PrivateKey, issuer: CertificateAuthority?
    ) throws(CertificateAuthorityError) {
        certificate = try CertificateTemplate(request).sign(
            for: key, issuer: issuer.map { ($0.certificate, $0.key) })
        self.key = key
        commonName = request.commonName
        certificatePEM = try certificate.pem()
        privateKeyPEM = try key.pem()
        pin = try certificate.pin()
        chainPEM = issuer.map { [certificatePEM] in certificatePEM + $0.chainPEM } ?? ""
    }

    /// Creates an authority below this one; the identities it issues contain its certificate.
    public func issueIntermediate(
        _ request: AuthorityRequest = AuthorityRequest(commonName: "Tern Test Intermediate CA")
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        let key = try PrivateKey(request.key)
        return try CertificateAuthority(request, key: key, issuer: self)
    }

    /// Issues a second certificate for `other`'s name and key.
    public func crossSign(
        _ other: CertificateAuthority, validity: Validity = .days(-2, to: 3650)
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        try crossSign(other, AuthorityRequest(commonName: other.commonName, validity: validity))
    }

    /// Issues a second certificate of any form for `other`'s key, with the request's name.
    public func crossSign(
        _ other: CertificateAuthority, _ request: AuthorityRequest
    ) throws(CertificateAuthorityError) -> CertificateAuthority {
        try CertificateAuthority(request, key: other.key, issuer: self)
    }

    /// Issues a leaf with its key.
    public func issue(_ request: LeafRequest = .localhost) throws(CertificateAuthorityError) -> Identity {
        let leafKey = try PrivateKey(request.key)
        let leaf = try CertificateTemplate(request).sign(for: leafKey, issuer: (certificate, key))
        return try Identity(leaf, key: leafKey, followedBy: chainPEM)
    }

    /// Issues a leaf with timestamps of logs in its certificate (RFC 6962 §3.3).
    ///
    /// - Parameters:
    ///   - request: what the leaf is for.
    ///   - timestamps: makes the serialised list, of what logs sign for this certificate.
    public func issue(
        _ request: LeafRequest = .localhost,
        embedding timestamps: (TransparencyTestEntry) throws(CertificateAuthorityError) -> [UInt8]
    ) throws(CertificateAuthorityError) -> Identity {
        let leafKey = try PrivateKey(request.key)
        var request = request
        // The same number with and without timestamps.
        if request.flaws.serialNumber == nil {
            var number = [UInt8](repeating: 0, count: 16)
            guard unsafe RAND_bytes(&number, 16) == 1 else { throw CertificateAuthorityError(.encodingFailed) }
            number[0] = number[0] & 0x7f | 0x40
            request.flaws.serialNumber = number
        }
        let early = try CertificateTemplate(request).sign(for: leafKey, issuer: (certificate, key))
        let entry = TransparencyTestEntry.precertificate(
            issuerKeyHash: try certificate.keyHash(),
            tbs: unsafe Self.encode { target in unsafe i2d_re_X509_tbs(early.pointer, target) })
        let list = Self.octetString(try timestamps(entry)).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0x0f, radix: 16)
        }
        request.extensions.append(CertificateExtension("1.3.6.1.4.1.11129.2.4.2", "DER:" + list.joined()))
        let leaf = try CertificateTemplate(request).sign(for: leafKey, issuer: (certificate, key))
        return try Identity(leaf, key: leafKey, followedBy: chainPEM)
    }

    /// Creates a self-signed leaf.
    public static func selfSigned(_ request: LeafRequest = .localhost) throws(CertificateAuthorityError) -> Identity {
        let key = try PrivateKey(request.key)
        let leaf = try CertificateTemplate(request).sign(for: key, issuer: nil)
        return try Identity(leaf, key: key, followedBy: "")
    }
}

extension Identity {
    fileprivate init(
        _ leaf: SignedCertificate, key: PrivateKey, followedBy chain: String
    ) throws(CertificateAuthorityError) {
        let certificatePEM = try leaf.pem()
        self.init(
            certificatePEM: certificatePEM, chainPEM: certificatePEM + chain, privateKeyPEM: try key.pem(),
            pin: try leaf.pin())
    }
}

/// The status of a certificate according to its authority.
public enum RevocationStatus: Sendable, Hashable {
    /// Issued, and not revoked.
    case good
    /// Revoked at this moment, in seconds since 1970-01-01T00:00:00Z.
    case revoked(at: Int64)
    /// The responder does not know it.
    case unknown
}

extension CertificateAuthority {
    /// Returns a DER `OCSPResponse` about a certificate of this authority.
    ///
    /// - Parameters:
    ///   - identity: the certificate.
    ///   - status: its status.
    ///   - validity: `thisUpdate` and `nextUpdate`.
    ///   - signer: the signer with its certificate; the authority itself if nil.
    ///   - digest: the hash of the signature.
    ///   - timestamps: a serialised list of timestamps of logs (RFC 6962 §3.3); nil for none.
    public func ocspResponse(
        about identity: Identity, _ status: RevocationStatus, validity: Validity = .days(-1, to: 1),
        signedBy signer: Identity? = nil, digest: SignatureDigest = .sha256, timestamps: [UInt8]? = nil
    ) throws(CertificateAuthorityError) -> [UInt8] {
        guard let leaf = PEMCertificate.all(in: identity.certificatePEM).first,
            let issuer = PEMCertificate.all(in: certificatePEM).first,
            let id = unsafe OCSP_cert_to_id(EVP_sha1(), leaf.pointer, issuer.pointer)
        else { throw CertificateAuthorityError(.encodingFailed) }
        defer { unsafe OCSP_CERTID_free(id) }
        return try unsafe ocspResponse(
            about: id, status, validity: validity, signedBy: signer, digest: digest, timestamps: timestamps)
    }

    /// The same about the certificate that a request names.
    @unsafe func ocspResponse(
        about id: OpaquePointer, _ status: RevocationStatus, validity: Validity = .days(-1, to: 1),
        signedBy signer: Identity? = nil, digest: SignatureDigest = .sha256, timestamps: [UInt8]? = nil
    ) throws(CertificateAuthorityError) -> [UInt8] {
        guard let basic = unsafe OCSP_BASICRESP_new() else { throw CertificateAuthorityError(.outOfMemory) }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        let this = unsafe Self.generalizedTime(validity.notBefore)
        let next = unsafe Self.generalizedTime(validity.notAfter)
        defer {
            unsafe ASN1_TIME_free(this)
            unsafe ASN1_TIME_free(next)
        }
        var revocation: UnsafeMutablePointer<ASN1_TIME>?
        defer { unsafe ASN1_TIME_free(revocation) }
        let code: Int32
        switch status {
        case .good: code = V_OCSP_CERTSTATUS_GOOD
        case .revoked(let time):
            code = V_OCSP_CERTSTATUS_REVOKED
            unsafe revocation = Self.generalizedTime(time)
        case .unknown: code = V_OCSP_CERTSTATUS_UNKNOWN
        }
        guard
            let single = unsafe OCSP_basic_add1_status(
                basic, id, code, OCSP_REVOKED_STATUS_NOSTATUS, revocation, this, next)
        else { throw CertificateAuthorityError(.encodingFailed) }
        if let timestamps { try unsafe Self.add(timestamps, to: single) }
        try unsafe sign(basic, signer, digest)
        guard let response = unsafe OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic) else {
            throw CertificateAuthorityError(.encodingFailed)
        }
        defer { unsafe OCSP_RESPONSE_free(response) }
        return unsafe Self.encode { target in unsafe i2d_OCSP_RESPONSE(response, target) }
    }

    @unsafe private static func add(
        _ timestamps: [UInt8], to single: OpaquePointer
    ) throws(CertificateAuthorityError) {
        let bytes = octetString(timestamps)
        guard let value = unsafe ASN1_STRING_type_new(V_ASN1_OCTET_STRING) else {
            throw CertificateAuthorityError(.outOfMemory)
        }
        defer { unsafe ASN1_STRING_free(value) }
        guard unsafe ASN1_STRING_set(value, bytes, Int32(clamping: bytes.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_NID(nil, NID_ct_cert_scts, 0, value)
        else { throw CertificateAuthorityError(.encodingFailed) }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe OCSP_SINGLERESP_add_ext(single, made, -1) == 1 else {
            throw CertificateAuthorityError(.encodingFailed)
        }
    }

    /// X.690 §8.7, up to 65535 bytes.
    private static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count
        let low = UInt8(truncatingIfNeeded: count)
        let length: [UInt8] =
            count < 0x80 ? [low] : count < 0x100 ? [0x81, low] : [0x82, UInt8(truncatingIfNeeded: count >> 8), low]
        return [0x04] + length + bytes
    }

    /// Returns a DER `CertificateList` of this authority.
    public func revocationList(
        revoking identities: [Identity], validity: Validity = .days(-1, to: 1), digest: SignatureDigest = .sha256
    ) throws(CertificateAuthorityError) -> [UInt8] {
        guard let list = unsafe X509_CRL_new() else { throw CertificateAuthorityError(.outOfMemory) }
        defer { unsafe X509_CRL_free(list) }
        let this = unsafe ASN1_TIME_set(nil, time_t(validity.notBefore))
        let next = unsafe ASN1_TIME_set(nil, time_t(validity.notAfter))
        defer {
            unsafe ASN1_TIME_free(this)
            unsafe ASN1_TIME_free(next)
        }
        guard let issuer = PEMCertificate.all(in: certificatePEM).first,
            unsafe X509_CRL_set_version(list, 1) == 1,
            unsafe X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer.pointer)) == 1,
            unsafe X509_CRL_set1_lastUpdate(list, this) == 1, unsafe X509_CRL_set1_nextUpdate(list, next) == 1
        else { throw CertificateAuthorityError(.encodingFailed) }
        for identity in identities {
            guard let entry = unsafe X509_REVOKED_new(),
                let leaf = PEMCertificate.all(in: identity.certificatePEM).first,
                unsafe X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(leaf.pointer)) == 1,
                unsafe X509_REVOKED_set_revocationDate(entry, this) == 1,
                unsafe X509_CRL_add0_revoked(list, entry) == 1
            else { throw CertificateAuthorityError(.encodingFailed) }
        }
        let key = unsafe Self.key(privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe X509_CRL_sign(list, key, EVP_get_digestbyname(digest.rawValue)) > 0 else {
            throw CertificateAuthorityError(.signingFailed(digest))
        }
        return unsafe Self.encode { target in unsafe i2d_X509_CRL(list, target) }
    }

    private func sign(
        _ basic: OpaquePointer, _ signer: Identity?, _ digest: SignatureDigest
    ) throws(CertificateAuthorityError) {
        let key = unsafe Self.key(signer?.privateKeyPEM ?? privateKeyPEM)
        defer { unsafe EVP_PKEY_free(key) }
        guard let certificate = PEMCertificate.all(in: signer?.certificatePEM ?? certificatePEM).first,
            unsafe OCSP_basic_sign(
                basic, certificate.pointer, key, EVP_get_digestbyname(digest.rawValue), nil,
                signer == nil ? UInt(OCSP_NOCERTS) : 0) == 1
        else { throw CertificateAuthorityError(.signingFailed(digest)) }
    }

    /// The time format of OCSP (RFC 6960 §4.2.1), whatever the year.
    private static func generalizedTime(_ seconds: Int64) -> UnsafeMutablePointer<ASN1_GENERALIZEDTIME>? {
        unsafe ASN1_GENERALIZEDTIME_set(nil, time_t(seconds))
    }

    private static func key(_ pem: String) -> OpaquePointer? {
        unsafe PEMCertificate.read(pem) { unsafe PEM_read_bio_PrivateKey($0, nil, nil, nil) }
    }

    private static func encode(_ encoder: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = encoder(nil)
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            var cursor = buffer.baseAddress
            filled = unsafe Int(max(0, encoder(&cursor)))
        }
    }
}

/// Why a certificate could not be created.
public struct CertificateAuthorityError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// OpenSSL could not create a key of this kind.
        case keyGenerationFailed(KeyKind)
        /// The text is not a private key in PEM.
        case invalidPrivateKey
        /// The text is not valid as a name in a certificate.
        case invalidName(String)
        /// The text is not an IP address.
        case invalidAddress(String)
        /// The time, in seconds since 1970, cannot be expressed in a certificate.
        case invalidTime(Int64)
        /// OpenSSL does not support the name or the value.
        case invalidExtension(CertificateExtension)
        /// The key cannot sign with this digest.
        case signingFailed(SignatureDigest)
        /// A value cannot be read or written as PEM or DER.
        case encodingFailed
        /// OpenSSL could not allocate memory.
        case outOfMemory
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's messages, oldest first; empty if there are none.
    public let detail: String

    /// Empties this thread's OpenSSL error queue into the error.
    init(_ reason: Reason) {
        self.reason = reason
        detail = Self.drainedQueue()
    }

    /// Empties this thread's OpenSSL error queue into a text.
    static func drainedQueue() -> String {
        var lines: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            lines.append(
                unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                    unsafe ERR_error_string_n(code, text.baseAddress, text.count)
                    return unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? ""
                })
        }
        return lines.joined(separator: "; ")
    }
}

extension CertificateAuthorityError: CustomStringConvertible {
    /// The reason, followed by OpenSSL's messages.
    public var description: String { detail.isEmpty ? "\(reason)" : "\(reason): \(detail)" }
}
