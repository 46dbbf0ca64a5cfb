// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// One call of `X509_verify_cert`, with the settings of a TLS client.
///
/// Either OpenSSL chooses the path, from the intermediates and the store; or the path is given, and there is no choice
/// left: the only anchor is its last certificate, and the others are in the order in which they are needed.
struct PathValidation {
    /// Nil skips the name check, and only that.
    var identity: ReferenceIdentity?
    var time: Int64
    /// Whether the moment is a fraction of a second after `time`.
    var isBetweenSeconds = false
    /// Between leaf and anchor.
    var maximumIntermediates = ChainRules.usualMaximum

    enum Outcome {
        /// The path from the leaf to its anchor, both included.
        case valid([X509Certificate])
        case refused(PathProblem)
    }

    /// The path that OpenSSL finds first, trusted certificates before sent ones. It does not look for a second one.
    func choose(leaf: X509Certificate, untrusted: [X509Certificate], store: TrustStore) -> Outcome {
        guard let store = unsafe store.pointer else { return .outOfMemory(leaf) }
        let outcome = unsafe verify(leaf, untrusted, store: store, flags: UInt(X509_V_FLAG_TRUSTED_FIRST)) { _ in true }
        guard case .valid(let path) = outcome, ExplicitPolicy.isRequired(in: path) else { return outcome }
        return check(path)
    }

    /// Exactly this path.
    ///
    /// - Parameter path: leaf first, the anchor last; they are the same certificate in a path of one.
    func check(_ path: [X509Certificate]) -> Outcome { check(path, believesSignatures: false) }

    /// Repeats `check` on the complete path without signatures and dates, which have been checked.
    func checkStructure(_ path: [X509Certificate]) -> Outcome { check(path, believesSignatures: true) }

    private func check(_ path: [X509Certificate], believesSignatures: Bool) -> Outcome {
        guard let leaf = path.first, let anchor = path.last, let anchors = CertificateStack([anchor]) else {
            return .refused(PathProblem(.openSSL(X509_V_ERR_OUT_OF_MEM)))
        }
        // The sent certificates come before the trusted one, and each follows from the previous one: OpenSSL can only
        // follow the path as given.
        var flags = UInt(path.count == 1 ? X509_V_FLAG_TRUSTED_FIRST : X509_V_FLAG_NO_ALT_CHAINS)
        let checksPolicies = ExplicitPolicy.isRequired(in: path)
        if checksPolicies {
            if let problem = missingPolicies(in: path) { return .refused(problem) }
            flags |= UInt(X509_V_FLAG_POLICY_CHECK | X509_V_FLAG_EXPLICIT_POLICY)
        }
        let outcome = unsafe verify(leaf, Array(path.dropFirst().dropLast()), store: nil, flags: flags) { context in
            unsafe X509_STORE_CTX_set0_trusted_stack(context, anchors.pointer)
            if believesSignatures { unsafe X509_STORE_CTX_set_verify(context) { _ in 1 } }
            // RFC 5280 §6.1.1 c: the initial set is any-policy. OpenSSL's is empty.
            return unsafe !checksPolicies
                || X509_VERIFY_PARAM_add0_policy(X509_STORE_CTX_get0_param(context), OBJ_nid2obj(NID_any_policy)) == 1
        }
        return withExtendedLifetime(anchors) {
            if case .valid(let walked) = outcome, walked != path {
                return .refused(PathProblem(.openSSL(X509_V_ERR_UNSPECIFIED), certificate: leaf))
            }
            // OpenSSL's code for mappings that make more policies than it follows.
            if checksPolicies, case .refused(let problem) = outcome, problem.finding == .openSSL(X509_V_ERR_OUT_OF_MEM)
            {
                return .refused(PathProblem(.openSSL(X509_V_ERR_NO_EXPLICIT_POLICY), certificate: leaf))
            }
            return outcome
        }
    }

    /// A certificate without policies: none is valid from there on (RFC 5280 §6.1.3 e), and OpenSSL leaks a little
    /// memory when it reaches that conclusion about one with policy constraints.
    private func missingPolicies(in path: [X509Certificate]) -> PathProblem? {
        path.dropLast().enumerated().first { _, certificate in
            !certificate.x509.hasExtension(NID_certificate_policies)
        }.map { depth, certificate in
            PathProblem(.openSSL(X509_V_ERR_NO_EXPLICIT_POLICY), depth: depth, certificate: certificate)
        }
    }

    @unsafe private func verify(
        _ leaf: X509Certificate, _ untrusted: [X509Certificate], store: OpaquePointer?, flags: UInt,
        _ prepare: (OpaquePointer) -> Bool
    ) -> Outcome {
        defer { OpenSSLError.clear() }
        guard let context = unsafe X509_STORE_CTX_new(), let stack = CertificateStack(untrusted) else {
            return .outOfMemory(leaf)
        }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, store, leaf.x509.pointer, stack.pointer) == 1,
            unsafe prepare(context), unsafe configure(context, flags)
        else { return .outOfMemory(leaf) }
        // The last second belongs to the validity, but what follows it, by however little, does not.
        if !isBetweenSeconds {
            unsafe X509_STORE_CTX_set_verify_cb(context) { accepted, context in
                unsafe PathValidation.review(accepted, context)
            }
        }
        let accepted = withExtendedLifetime(stack) { unsafe X509_verify_cert(context) == 1 }
        let code = unsafe X509_STORE_CTX_get_error(context)
        guard accepted, code == X509_V_OK else { return .refused(unsafe problem(in: context, code: code)) }
        return .valid(unsafe X509Certificate.copies(of: X509_STORE_CTX_get0_chain(context)))
    }

    @unsafe private func configure(_ context: OpaquePointer, _ flags: UInt) -> Bool {
        // Purpose and trust "TLS server"; a verification without them would accept a client's certificate.
        guard unsafe X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { return false }
        // OpenSSL's defaults prefer trusted certificates: in a given path the anchor would be used for every issuer of
        // its name, such as its own new key (RFC 4210 §4.4).
        unsafe X509_VERIFY_PARAM_clear_flags(parameters, UInt(X509_V_FLAG_TRUSTED_FIRST))
        unsafe X509_VERIFY_PARAM_set_flags(parameters, flags | UInt(X509_V_FLAG_PARTIAL_CHAIN))
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Int32(clamping: maximumIntermediates))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(time))
        // OpenSSL's defaults read names from the common name and accept `lo*.example.com`.
        unsafe X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        switch identity {
        case .name(let name): return unsafe X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
        // Never set1_host: an address must not match a DNS name.
        case .address(let address): return unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
        case nil: return true
        }
    }

    /// The verify callback. RFC 5280 §4.1.2.5: the last second belongs to the validity, but not in OpenSSL.
    @unsafe private static func review(_ accepted: Int32, _ context: OpaquePointer?) -> Int32 {
        guard accepted == 0, unsafe X509_STORE_CTX_get_error(context) == X509_V_ERR_CERT_HAS_EXPIRED,
            let certificate = unsafe X509_STORE_CTX_get_current_cert(context),
            let parameters = unsafe X509_STORE_CTX_get0_param(context),
            unsafe ASN1_TIME_cmp_time_t(
                X509_get0_notAfter(certificate), X509_VERIFY_PARAM_get_time(parameters)) == 0
        else { return accepted }
        unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
        return 1
    }

    /// Of all expired certificates, the one that expired first. OpenSSL names the one nearest to the anchor, which
    /// often expires last.
    @unsafe private func firstExpiry(in context: OpaquePointer) -> PathProblem? {
        let path = unsafe X509Certificate.copies(of: X509_STORE_CTX_get0_chain(context))
        return path.enumerated().min { ($0.element.notAfter ?? .max) < ($1.element.notAfter ?? .max) }.map {
            PathProblem(.openSSL(X509_V_ERR_CERT_HAS_EXPIRED), depth: $0.offset, certificate: $0.element)
        }
    }

    @unsafe private func problem(in context: OpaquePointer, code: Int32) -> PathProblem {
        if code == X509_V_ERR_CERT_HAS_EXPIRED, let problem = unsafe firstExpiry(in: context) { return problem }
        return unsafe PathProblem(
            .openSSL(code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code),
            depth: Int(max(0, X509_STORE_CTX_get_error_depth(context))),
            certificate: X509_STORE_CTX_get_current_cert(context).map {
                unsafe X509Certificate(X509Reference(retaining: $0))
            })
    }
}

extension PathValidation.Outcome {
    fileprivate static func outOfMemory(_ leaf: X509Certificate) -> Self {
        .refused(PathProblem(.openSSL(X509_V_ERR_OUT_OF_MEM), certificate: leaf))
    }
}

/// Certificates in the form of OpenSSL's functions, `STACK_OF(X509)`.
///
/// Safety: the stack is owned, never nil and freed once; it borrows the certificates, which live as long as it does.
@safe final class CertificateStack {
    let pointer: OpaquePointer
    private let certificates: [X509Certificate]

    /// Nil if out of memory.
    init?(_ certificates: [X509Certificate]) {
        guard let stack = unsafe tern_X509_stack_new() else { return nil }
        unsafe pointer = stack
        self.certificates = certificates
        for certificate in certificates where unsafe tern_X509_stack_push(stack, certificate.x509.pointer) <= 0 {
            return nil
        }
    }

    deinit { unsafe tern_X509_stack_free(pointer) }
}
