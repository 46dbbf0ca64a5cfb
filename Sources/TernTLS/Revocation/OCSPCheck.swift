// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Requests and verifies a responder's statement about one certificate (RFC 6960).
struct OCSPCheck {
    let certificate: X509Certificate
    let issuer: X509Certificate

    /// The tolerance for differing clocks, at both ends.
    private static let skew: Int64 = 300
    /// The validity of a response without `nextUpdate`.
    private static let defaultLifetime: Int64 = 86400

    /// The DER request, without a nonce: responders may then answer with a response signed in advance.
    var request: [UInt8]? {
        defer { OpenSSLError.clear() }
        guard let request = unsafe OCSP_REQUEST_new() else { return nil }
        defer { unsafe OCSP_REQUEST_free(request) }
        // SHA-1 is used as an identifier, not for protection; it is the only hash that every responder supports (RFC
        // 5019 §2.1.1).
        guard let id = unsafe OCSP_cert_to_id(EVP_sha1(), certificate.x509.pointer, issuer.x509.pointer) else {
            return nil
        }
        guard unsafe OCSP_request_add0_id(request, id) != nil else {
            unsafe OCSP_CERTID_free(id)
            return nil
        }
        return unsafe X509Reference.encode { target in unsafe i2d_OCSP_REQUEST(request, target) }
    }

    /// `undetermined` for a response that is malformed, outdated, about another certificate, or not signed by its
    /// issuer or a responder that the issuer has authorised.
    func status(by response: OCSPResponse, at time: Int64) -> RevocationFinding.Status {
        defer { OpenSSLError.clear() }
        guard let basic = unsafe response.basic else { return .undetermined }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        let status = unsafe status(in: basic, at: time)
        // The signature last: it is expensive, and most unusable responses fail before.
        return unsafe status != .undetermined && isAuthentic(basic, at: time) ? status : .undetermined
    }

    /// The worst status that the response gives for the certificate.
    @unsafe private func status(in basic: OpaquePointer, at time: Int64) -> RevocationFinding.Status {
        var found = RevocationFinding.Status.undetermined
        for index in 0..<max(0, unsafe OCSP_resp_count(basic)) {
            guard let single = unsafe OCSP_resp_get0(basic, index), unsafe isAbout(single) else { continue }
            let status = unsafe Self.status(of: single, at: time)
            if case .revoked = status { return status }
            if found == .undetermined { found = status }
        }
        return found
    }

    /// Whether the response's identifier, by its own hash, is the certificate's.
    @unsafe private func isAbout(_ single: OpaquePointer) -> Bool {
        var algorithm: OpaquePointer?
        guard let id = unsafe OCSP_SINGLERESP_get0_id(single),
            unsafe OCSP_id_get0_info(nil, &algorithm, nil, nil, id) == 1,
            let digest = unsafe tern_EVP_get_digestbyobj(algorithm),
            let own = unsafe OCSP_cert_to_id(digest, certificate.x509.pointer, issuer.x509.pointer)
        else { return false }
        defer { unsafe OCSP_CERTID_free(own) }
        return unsafe OCSP_id_cmp(own, id) == 0
    }

    @unsafe private static func status(of single: OpaquePointer, at time: Int64) -> RevocationFinding.Status {
        var revocation: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let code = unsafe OCSP_single_get0_status(single, nil, &revocation, &this, &next)
        guard let thisUpdate = unsafe Timestamp.seconds(this), thisUpdate <= time + skew else { return .undetermined }
        guard let nextUpdate = unsafe next == nil ? thisUpdate + defaultLifetime : Timestamp.seconds(next),
            nextUpdate >= thisUpdate, time <= nextUpdate + skew
        else { return .undetermined }
        switch code {
        case V_OCSP_CERTSTATUS_GOOD: return .good(until: nextUpdate)
        case V_OCSP_CERTSTATUS_REVOKED: return .revoked(at: unsafe Timestamp.seconds(revocation))
        case V_OCSP_CERTSTATUS_UNKNOWN: return .unknown
        default: return .undetermined
        }
    }

    /// RFC 6960 §4.2.2.2: signed by the certificate's issuer itself, or with a certificate that the issuer has issued
    /// for this purpose (`id-kp-OCSPSigning`). Therefore the issuer is the only anchor.
    @unsafe private func isAuthentic(_ basic: OpaquePointer, at time: Int64) -> Bool {
        guard unsafe SignatureStrength.isEnough(OCSP_resp_get0_tbs_sigalg(basic)),
            let stack = unsafe tern_X509_stack_new()
        else { return false }
        defer { unsafe tern_X509_stack_free(stack) }
        let anchor = TrustStore([issuer])
        return withExtendedLifetime((anchor, issuer)) {
            // The stack borrows. It contains the issuer, so that it can be found as the signer: responses seldom
            // contain its certificate.
            guard let store = unsafe anchor.pointer, unsafe tern_X509_stack_push(stack, issuer.x509.pointer) > 0,
                let parameters = unsafe X509_STORE_get0_param(store)
            else { return false }
            unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
            unsafe X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
            unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(time))
            return unsafe OCSP_basic_verify(basic, stack, store, 0) == 1
        }
    }
}

/// Whether a signature is safe from collisions of its hash: 112 bits, as everywhere.
enum SignatureStrength {
    @unsafe static func isEnough(_ algorithm: UnsafePointer<X509_ALGOR>?) -> Bool {
        guard let algorithm = unsafe algorithm else { return false }
        var object: OpaquePointer?
        unsafe X509_ALGOR_get0(&object, nil, nil, algorithm)
        return unsafe isEnough(OBJ_obj2nid(object))
    }

    static func isEnough(_ algorithm: Int32) -> Bool {
        // These algorithms name their hash elsewhere, and have no weak one in use.
        if [NID_ED25519, NID_ED448, NID_rsassaPss].contains(algorithm) { return true }
        var digest: Int32 = NID_undef
        guard unsafe OBJ_find_sigid_algs(algorithm, &digest, nil) == 1,
            let method = unsafe EVP_get_digestbyname(OBJ_nid2sn(digest))
        else { return false }
        return unsafe EVP_MD_get_size(method) * 4 >= 112
    }
}

/// A responder's statement about certificates, as received (RFC 6960 §4.2).
public struct OCSPResponse: Sendable, Hashable {
    /// The DER `OCSPResponse`, not verified before an evaluation.
    public let der: [UInt8]

    /// Accepts any bytes: they are verified when they are used.
    public init(der: some Sequence<UInt8>) { self.der = Array(der) }
}

extension OCSPResponse {
    /// When its first entry expires by its own, unverified, statement, in seconds since 1970: for caches of responses.
    /// Nil if it is malformed or has no expiry.
    public var nextUpdate: Int64? {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard let basic = unsafe basic else { return nil }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        return (0..<max(0, unsafe OCSP_resp_count(basic))).compactMap { index -> Int64? in
            var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            unsafe OCSP_single_get0_status(OCSP_resp_get0(basic, index), nil, nil, nil, &next)
            return unsafe Timestamp.seconds(next)
        }.min()
    }

    /// The maximum number of bytes. Responses have some 2 KB; the largest key of a responder makes 5.
    static let maximumSize = 16 << 10
    /// The maximum number of certificates: that of the responder, and what leads from it to its issuer.
    static let maximumCertificates = 4
    /// The maximum number of answers: a response is about one certificate, and some responders add its neighbours.
    static let maximumAnswers = 16

    /// The numbers of certificates and of answers, counted in the frame of the DER; nil if that is malformed.
    private var counts: (certificates: Int, answers: Int)? {
        guard var outer = DERElements(sequence: der), outer.next()?.tag == 0x0a else { return nil }
        // A failure has no more.
        guard let explicit = outer.next() else { return outer.isAtEnd ? (0, 0) : nil }
        var wrapped = DERElements(explicit.content)
        guard let named = wrapped.next() else { return nil }
        var parts = DERElements(named.content)
        guard parts.next()?.tag == 0x06, let string = parts.next() else { return nil }
        var signed = DERElements(string.content)
        guard let basic = signed.next() else { return nil }
        var members = DERElements(basic.content)
        guard let data = members.next(), members.next() != nil, members.next() != nil else { return nil }
        var fields = DERElements(data.content)
        while let field = fields.next() {
            // The answers are the only SEQUENCE here.
            guard field.tag == 0x30 else { continue }
            let answers = DERElements(field.content).count(orAtMost: .max)
            guard let list = members.next() else { return members.isAtEnd ? (0, answers) : nil }
            var inner = DERElements(list.content)
            return inner.next().map { (DERElements($0.content).count(orAtMost: .max), answers) }
        }
        return nil
    }

    /// The same of one that has no more than it may, and nil for all others: what a server staples is decoded on a reactor,
    /// each certificate with its key.
    private var modestCounts: (certificates: Int, answers: Int)? {
        guard der.count <= Self.maximumSize, let counts, counts.certificates <= Self.maximumCertificates,
            counts.answers <= Self.maximumAnswers
        else { return nil }
        return counts
    }

    /// Whether it has no more than it may, and is read.
    var isModest: Bool { modestCounts != nil }

    /// The cost of decoding it, in units of `EvaluationBudget`; of one that is not modest that of telling so.
    var readingCost: Int {
        20 + min(der.count, Self.maximumSize) / 200 + (modestCounts.map { $0.certificates * 100 + $0.answers * 5 } ?? 0)
    }

    /// The signed part of a successful response, which the caller frees; nil for anything else.
    var basic: OpaquePointer? {
        guard isModest else { return nil }
        return unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let outer = unsafe d2i_OCSP_RESPONSE(nil, &cursor, buffer.count) else { return nil }
            defer { unsafe OCSP_RESPONSE_free(outer) }
            guard unsafe OCSP_response_status(outer) == OCSP_RESPONSE_STATUS_SUCCESSFUL else { return nil }
            return unsafe OCSP_response_get1_basic(outer)
        }
    }
}
