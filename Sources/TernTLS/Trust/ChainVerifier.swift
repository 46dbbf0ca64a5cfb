// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Builds and verifies one chain, as a TLS client must (RFC 5280 §6, RFC 9525): signatures, dates of every
/// certificate, authority flags, name constraints, key strengths, the purpose TLS server, and the name.
struct ChainVerifier {
    var leaf: Certificate
    /// Certificates that may help to build the chain; none of them is believed.
    var untrusted: [Certificate]
    var store: TrustStore
    /// Nil leaves the name out, and only the name.
    var identity: ReferenceIdentity?
    var time: Int64

    /// A finding of `X509_verify_cert`.
    struct Problem: Hashable {
        /// `X509_V_ERR_…`
        var code: Int32
        /// The position in the chain it is about; 0 is the leaf.
        var depth: Int
        var certificate: Certificate?
    }

    enum Outcome {
        /// The chain from the leaf to its anchor, both included.
        case verified([Certificate])
        case refused(Problem)
    }

    /// More intermediates than any public chain has; a longer list is a waste of our time.
    private static let maximumDepth: Int32 = 10

    func verify() -> Outcome {
        defer { ERR_clear_error() }
        let outOfMemory = Outcome.refused(Problem(code: X509_V_ERR_OUT_OF_MEM, depth: 0, certificate: leaf))
        guard let context = unsafe X509_STORE_CTX_new(), let stack = unsafe tern_X509_stack_new() else {
            return outOfMemory
        }
        // The stack borrows: `untrusted` keeps its certificates alive until the end of this function.
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe tern_X509_stack_free(stack)
        }
        for certificate in untrusted where unsafe tern_X509_stack_push(stack, certificate.x509.pointer) <= 0 {
            return outOfMemory
        }
        guard let store = unsafe store.pointer,
            unsafe X509_STORE_CTX_init(context, store, leaf.x509.pointer, stack) == 1,
            unsafe configure(context)
        else { return outOfMemory }
        let accepted = withExtendedLifetime(untrusted) { unsafe X509_verify_cert(context) == 1 }
        let code = unsafe X509_STORE_CTX_get_error(context)
        guard accepted, code == X509_V_OK else { return .refused(unsafe problem(in: context, code: code)) }
        return .verified(unsafe Certificate.copies(of: X509_STORE_CTX_get0_chain(context)))
    }

    @unsafe private func configure(_ context: OpaquePointer) -> Bool {
        // Purpose and trust "TLS server"; a bare verification would take a client's certificate for a server's.
        guard unsafe X509_STORE_CTX_set_default(context, "ssl_server") == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(context)
        else { return false }
        unsafe X509_VERIFY_PARAM_set_flags(
            parameters, UInt(X509_V_FLAG_TRUSTED_FIRST) | UInt(X509_V_FLAG_PARTIAL_CHAIN))
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Self.maximumDepth)
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(time))
        // OpenSSL's defaults read names from the common name and honour `lo*.example.com`.
        unsafe X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        switch identity {
        case .name(let name): return unsafe X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
        // Never set1_host: an address must not be found among the DNS names.
        case .address(let address): return unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
        case nil: return true
        }
    }

    @unsafe private func problem(in context: OpaquePointer, code: Int32) -> Problem {
        unsafe Problem(
            code: code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code,
            depth: Int(max(0, X509_STORE_CTX_get_error_depth(context))),
            certificate: X509_STORE_CTX_get_current_cert(context).map {
                unsafe Certificate(X509Reference(retaining: $0))
            })
    }
}
