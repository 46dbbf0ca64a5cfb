// SPDX-License-Identifier: Apache-2.0
import Tern

/// What to do about a refusal, for the operator of the server or the developer of the application.
enum TrustAdvice {
    static func text(for reason: TrustFailure.Reason) -> String {
        switch reason {
        case .keyNotPinned, .certificateNotPinned:
            "If the server's key was changed on purpose, add its new pin from above and ship that before the old key "
                + "goes. If the operator knows of no change, an attacker may be in between: do not pin what you see here."
        case .nameMismatch, .invalidHost:
            "Ask for one of the certificate's names, or have a certificate issued whose subjectAltName has this one."
        case .expired: "Renew that certificate. The same key may be kept, and then pins of it still hold."
        case .notYetValid: "Check this machine's clock, then the certificate's beginning."
        case .untrustedRoot, .noAnchors:
            "If the root is your own, name it with --anchors, or as TLSSettings.anchors in code."
        case .missingIssuer:
            "Most often the server forgets to send its intermediate: let it send its certificate and all above it but "
                + "the root. If the root is your own, name it with --anchors."
        case .wrongPurpose: "Have a certificate issued with the extended key usage serverAuth."
        case .invalidAuthority, .nameConstraint, .certificatePolicy:
            "The authority that issued this may not issue it: ask those who run the authority."
        case .weakKey, .weakSignature: "Have it issued anew with at least RSA 2048 or P-256, and SHA-256."
        case .noCertificate: "The server has to send a certificate."
        case .noRequiredEvaluator, .noPolicy: "Add the host to the policy, or let it be evaluated as the system would."
        case .revoked:
            "Believe it: the key may be in other hands. Have a certificate issued for a new key, and pin that."
        case .revocationUndetermined, .unknownToResponder:
            "Let the server staple an OCSP response, or make the authority's responder reachable from here."
        case .revocationNotAsked:
            "Have the session's own policy ask about revocation, or fetch the data before the policy is evaluated."
        case .delegate: "Look at the delegate that answers server trust challenges: the policy has no objection."
        case .missingStaple:
            "Turn on OCSP stapling in the server (SSLUseStapling, ssl_stapling), or have a certificate without must-staple."
        case .limit: "Have the server send its own certificate and the few above it, with no more names than it needs."
        case .invalidSignature, .unknownCriticalExtension, .chainTooLong, .rule, .customEvaluation, .other:
            "Look at the certificate it is about: openssl x509 -text -in FILE."
        }
    }
}
