// SPDX-License-Identifier: Apache-2.0

extension TrustFailure {
    /// The rule that refused, as a stable word for programs.
    public var rule: String {
        switch reason {
        case .noCertificate: "no-certificate"
        case .invalidHost: "invalid-host"
        case .nameMismatch: "name-mismatch"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .untrustedRoot: "untrusted-root"
        case .missingIssuer: "missing-issuer"
        case .noAnchors: "no-anchors"
        case .wrongPurpose: "wrong-purpose"
        case .invalidAuthority: "invalid-authority"
        case .nameConstraint: "name-constraint"
        case .weakKey: "weak-key"
        case .weakSignature: "weak-signature"
        case .invalidSignature: "invalid-signature"
        case .unknownCriticalExtension: "unknown-critical-extension"
        case .chainTooLong: "chain-too-long"
        case .certificatePolicy: "certificate-policy"
        case .rule(let rule): rule.rawValue
        case .limit(let limit): limit.rawValue
        case .keyNotPinned: "key-not-pinned"
        case .certificateNotPinned: "certificate-not-pinned"
        case .noRequiredEvaluator: "no-required-evaluator"
        case .noPolicy: "no-policy"
        case .revoked: "revoked"
        case .unknownToResponder: "unknown-to-responder"
        case .revocationUndetermined: "revocation-undetermined"
        case .revocationNotAsked: "revocation-not-asked"
        case .missingStaple: "missing-staple"
        case .customEvaluation: "custom-evaluation"
        case .delegate: "delegate"
        case .other: "other"
        }
    }
}
