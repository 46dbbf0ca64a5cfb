// SPDX-License-Identifier: Apache-2.0
import Tern

/// Advice after a refusal, for the operator of the server or the developer of the application.
enum TrustAdvice {
    static func text(for reason: TrustFailure.Reason) -> String {
        switch reason {
        case .keyNotPinned, .certificateNotPinned:
            "If the server's key was changed on purpose, add its new pin from above and ship that before the old key "
                + "is removed. If the operator knows of no change, there may be an attacker: do not pin the keys shown here."
        case .nameMismatch, .invalidHost:
            "Request one of the certificate's names, or have a certificate issued whose subjectAltName has this one."
        case .expired: "Renew that certificate. The same key may be kept, and then its pins still match."
        case .notYetValid: "Check this machine's clock, then the certificate's beginning."
        case .untrustedRoot, .noAnchors:
            "If the root is your own, give it with --anchors, or as TLSSettings.anchors in code."
        case .missingIssuer:
            "Usually the server does not send its intermediate: let it send its certificate and all above it except "
                + "the root. If the root is your own, give it with --anchors."
        case .wrongPurpose: "Have a certificate issued with the extended key usage serverAuth."
        case .invalidAuthority, .nameConstraint, .certificatePolicy:
            "The authority was not allowed to issue this certificate: ask its operator."
        case .weakKey, .weakSignature: "Have a new certificate issued with at least RSA 2048 or P-256, and SHA-256."
        case .noCertificate: "The server must send a certificate."
        case .noRequiredEvaluator, .noPolicy: "Add the host to the policy, or allow the default policy for it."
        case .revoked:
            "Take it seriously: the key may be stolen. Have a certificate issued for a new key, and pin that."
        case .revocationUndetermined, .unknownToResponder:
            "Let the server staple an OCSP response, or make the authority's responder reachable from this machine."
        case .revocationNotAsked:
            "Let the session's own policy check revocation, or fetch the data before the policy is evaluated."
        case .delegate: "Look at the delegate that answers server trust challenges: the policy accepts the server."
        case .missingStaple:
            "Turn on OCSP stapling in the server (SSLUseStapling, ssl_stapling), or have a certificate without must-staple."
        case .limit: "Have the server send its own certificate and the few above it, with no more names than it needs."
        case .invalidSignature, .unknownCriticalExtension, .chainTooLong, .rule, .customEvaluation, .other:
            "Inspect the certificate: openssl x509 -text -in FILE."
        }
    }
}
