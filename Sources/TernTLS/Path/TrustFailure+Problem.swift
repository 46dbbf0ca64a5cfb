// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension TrustFailure {
    /// Translates a problem into a reason; the chain with the problem is not verified.
    init(_ problem: PathProblem, host: String, store: TrustStore, sent: [X509Certificate]) {
        switch problem.finding {
        case .rule(let rule):
            self.init(.rule(rule), host: host, depth: problem.depth, certificate: problem.certificate, seen: sent)
        case .limit(let limit):
            self.init(.limit(limit), host: host, depth: problem.depth, certificate: problem.certificate, seen: sent)
        case .openSSL(let code):
            self.init(
                store.isEmpty ? .noAnchors : Reason(code, problem.certificate), host: host, verifyCode: code,
                depth: problem.depth, certificate: problem.certificate, seen: sent)
        }
    }
}

extension TrustFailure.Reason {
    fileprivate init(_ code: Int32, _ certificate: X509Certificate?) {
        self =
            switch code {
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                .nameMismatch(presented: certificate?.subjectAlternativeNames ?? [])
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired(notAfter: certificate?.notAfter)
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(notBefore: certificate?.notBefore)
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_CERT_UNTRUSTED,
                X509_V_ERR_CERT_REJECTED:
                .untrustedRoot
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .missingIssuer
            case X509_V_ERR_INVALID_PURPOSE: .wrongPurpose
            case X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED, X509_V_ERR_KEYUSAGE_NO_CERTSIGN,
                X509_V_ERR_INVALID_NON_CA:
                .invalidAuthority
            case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
                X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX,
                X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
                .nameConstraint
            // OpenSSL has no strength for a key that it cannot read.
            case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
                certificate?.keyAlgorithm == nil ? .rule(.unsupportedKey) : .weakKey
            case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: .rule(.unsupportedKey)
            case X509_V_ERR_CA_MD_TOO_WEAK: .weakSignature
            case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE: .invalidSignature
            case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: .unknownCriticalExtension
            case X509_V_ERR_EC_KEY_EXPLICIT_PARAMS: .rule(.unsupportedKey)
            case X509_V_ERR_INVALID_EXTENSION, X509_V_ERR_INVALID_POLICY_EXTENSION: .rule(.malformedExtension)
            case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
                .rule(.timeEncoding)
            case X509_V_ERR_NO_EXPLICIT_POLICY: .certificatePolicy
            case X509_V_ERR_CERT_CHAIN_TOO_LONG: .chainTooLong
            default: .other
            }
    }
}
