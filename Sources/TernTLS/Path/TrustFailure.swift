// SPDX-License-Identifier: Apache-2.0
// Safety: OpenSSL's texts for a code are constants, and are copied.
import CTernOpenSSL

/// Why a server was refused: the rule, the certificate it concerns, and what is needed to correct it.
public struct TrustFailure: Error, Sendable, Hashable {
    /// The rules that a server can break, with details.
    public enum Reason: Sendable, Hashable {
        /// The server presented no certificate.
        case noCertificate
        /// The host to evaluate for is neither a DNS name nor an IP address.
        case invalidHost
        /// The leaf is for other names than the host.
        case nameMismatch(presented: [SubjectAlternativeName])
        /// The certificate at `depth` expired at `notAfter`.
        case expired(notAfter: Int64?)
        /// The certificate at `depth` becomes valid at `notBefore`.
        case notYetValid(notBefore: Int64?)
        /// The chain is complete, and ends in a root that is not an anchor.
        case untrustedRoot
        /// The issuer of the certificate at `depth` is neither among the anchors nor sent by the server.
        case missingIssuer
        /// There are no anchors: a system without CA certificates, or a policy without pins.
        case noAnchors
        /// The certificate at `depth` is not for TLS servers.
        case wrongPurpose
        /// The certificate at `depth` acts as an authority without permission, or too far down the chain.
        case invalidAuthority
        /// A name constraint of an authority forbids the leaf's names.
        case nameConstraint
        /// The key at `depth` is too small, such as RSA below 2048 bits.
        case weakKey
        /// The signature at `depth` uses a broken hash, such as SHA-1.
        case weakSignature
        /// The signature at `depth` does not verify.
        case invalidSignature
        /// The certificate at `depth` has an unknown critical extension.
        case unknownCriticalExtension
        /// The chain has more certificates between leaf and anchor than the maximum.
        case chainTooLong
        /// An authority requires certificate policies, and the chain has none that is valid (RFC 5280 §6.1.5 g), or too
        /// many policy mappings.
        case certificatePolicy
        /// The certificate at `depth` breaks a rule of RFC 5280 or of the profile. OpenSSL checks few of these.
        case rule(CertificateRule)
        /// Evaluating the server further would exceed the maximum work; `depth` is relevant if the limit concerns one
        /// certificate.
        case limit(EvaluationLimit)
        /// None of the pinned keys is in the chain that the pins were compared with.
        case keyNotPinned(pins: [X509Certificate.PublicKey])
        /// None of the pinned certificates is in the chain that the pins were compared with.
        case certificateNotPinned(pins: [X509Certificate])
        /// There is no policy for the host, and every host must have one.
        case noRequiredEvaluator
        /// The policy is a composite without policies.
        case noPolicy
        /// The certificate at `depth` was revoked at this time, in seconds since 1970, if it is given.
        case revoked(at: Int64?)
        /// The certificate at `depth` is one of ``DistrustedCertificates``.
        case distrusted(DistrustRule)
        /// The responder for the certificate at `depth` does not know it.
        case unknownToResponder
        /// No response and no list shows that the certificate at `depth` is not revoked, and the policy requires it.
        case revocationUndetermined
        /// The policy requires the revocation status of the certificate at `depth`, and the handshake asked fewer
        /// questions: its session has another policy, see ``RevocationData/askedQuestions``.
        case revocationNotAsked
        /// The leaf requires a stapled response (RFC 7633), and the server stapled no usable one.
        case missingStaple
        /// The leaf does not comply with a policy of Certificate Transparency.
        case certificateTransparency(TransparencyShortfall)
        /// The connection has an older version of TLS than the rules of the policy allow.
        case protocolVersion(TLSProtocolVersion, minimum: TLSProtocolVersion)
        /// The chain ends in an anchor that the rules of the policy accept for other servers or times only.
        case anchorCondition(AnchorViolation)
        /// The certificate does not prove a workload that the policy allows.
        case spiffe(SPIFFEProblem)
        /// The custom evaluation returned false.
        case customEvaluation
        /// A delegate refused a server that the policy accepted.
        case delegate
        /// Another rule of OpenSSL; see `verifyCode` and `verifyText`.
        case other

        /// Whose rule refused the server, which decides what a caller sees of it: exit codes, `URLError` codes.
        package var kind: Kind {
            switch self {
            case .noCertificate, .invalidHost, .nameMismatch, .expired, .notYetValid, .untrustedRoot, .missingIssuer,
                .noAnchors, .wrongPurpose, .invalidAuthority, .nameConstraint, .weakKey, .weakSignature,
                .invalidSignature, .unknownCriticalExtension, .chainTooLong, .certificatePolicy, .rule, .limit, .other:
                .chain
            case .keyNotPinned, .certificateNotPinned: .pin
            case .noRequiredEvaluator, .noPolicy, .certificateTransparency, .protocolVersion, .anchorCondition, .spiffe,
                .customEvaluation, .delegate:
                .caller
            case .revoked, .distrusted, .unknownToResponder, .revocationUndetermined, .missingStaple: .status
            case .revocationNotAsked: .session
            }
        }
    }

    /// What an anchor may not be used for, see ``AnchorConditions``.
    public enum AnchorViolation: Sendable, Hashable, CustomStringConvertible {
        /// The leaf is for a name or an address that the anchor does not count for.
        case name(SubjectAlternativeName)
        /// The anchor counts no more since this time, in seconds since 1970-01-01T00:00:00Z.
        case time(Int64)
        /// The leaf was issued after this time.
        case issued(Int64)

        /// The end of a sentence about the anchor.
        public var description: String {
            switch self {
            case .name(let name): "is no anchor for \(name)"
            case .time(let end): "is no anchor since \(Timestamp.text(end))"
            case .issued(let end): "is no anchor for what was issued after \(Timestamp.text(end))"
            }
        }
    }

    /// What a certificate is distrusted by, see ``DistrustedCertificates``.
    public enum DistrustRule: String, Sendable, Hashable, CaseIterable {
        /// Its serial number, with its issuer's name or key.
        case serialNumber = "serial number"
        /// Its key.
        case publicKey = "public key"
        /// Its name together with its key.
        case subjectAndPublicKey = "name and public key"
    }

    /// Whose rule refused a server.
    package enum Kind: Sendable, Hashable {
        /// Every client's: the certificates are not valid for the host.
        case chain
        /// The caller's: a pin.
        case pin
        /// The caller's: a policy, or its absence, or a delegate.
        case caller
        /// The authority's: the certificate is revoked, or that is unknown.
        case status
        /// The handshake did not ask what the policy wants to know.
        case session

        /// Whether the caller's own rules refused a server that other clients would accept.
        package var isOfCaller: Bool {
            switch self {
            case .pin, .caller: true
            case .chain, .status, .session: false
            }
        }
    }

    /// A certificate whose key could be pinned.
    public struct Seen: Sendable, Hashable {
        /// Its name as in `X509Certificate.subject`, or a placeholder if it has none.
        public let subject: String
        /// Its key in the form of a pin.
        public let publicKey: X509Certificate.PublicKey

        init(_ certificate: X509Certificate) {
            subject = certificate.description
            publicKey = certificate.publicKey
        }
    }

    /// The rule that refused the server.
    public let reason: Reason
    /// The requested host.
    public let host: String
    /// OpenSSL's `X509_V_ERR_…` code, or 0 if the rule is not OpenSSL's.
    public let verifyCode: Int32
    /// OpenSSL's text for `verifyCode`, or empty.
    public let verifyText: String
    /// The position in the chain of the certificate that the failure concerns; 0 is the leaf.
    public let depth: Int
    /// The certificate at `depth`, if there is one.
    public let certificate: X509Certificate?
    /// The certificates that the verdict is about, leaf first: the verified chain if there is one, otherwise the list
    /// the server sent, which is not verified.
    public let seen: [Seen]

    init(
        _ reason: Reason, host: String, verifyCode: Int32 = 0, depth: Int = 0, certificate: X509Certificate? = nil,
        seen: [X509Certificate]
    ) {
        self.reason = reason
        self.host = host
        self.verifyCode = verifyCode
        verifyText =
            verifyCode == 0 ? "" : unsafe String(cStringOrEmpty: X509_verify_cert_error_string(Int(verifyCode)))
        self.depth = depth
        self.certificate = certificate
        self.seen = seen.map(Seen.init)
    }
}

extension TrustFailure: CustomStringConvertible {
    /// One line. For a server that has none of the pins it ends in the keys that were seen, as pins are written;
    /// `ServerTrustResult.explanation` has the pins, too.
    public var description: String { "\(ShortenedText.shortened(host)) is not trusted: \(sentence)\(keysSeen)" }

    /// The keys that were seen where none is pinned; empty for other failures.
    package var keysSeen: String {
        switch reason {
        case .keyNotPinned, .certificateNotPinned:
            seen.isEmpty
                ? "" : "; seen: " + ShortenedText.list(seen.lazy.map { "\($0.publicKey.pin) (\($0.subject))" })
        default: ""
        }
    }

    /// The authority whose key is pinned, where only the server's own key may match (``PinSet/Scope/leaf``).
    package var pinnedIssuer: Seen? {
        guard case .keyNotPinned(let pins) = reason else { return nil }
        return seen.dropFirst().first { pins.contains($0.publicKey) }
    }

    /// What is wrong, as a sentence without a full stop.
    package var sentence: String {
        let subject = certificate.map { "certificate \(depth) (\($0))" } ?? "certificate \(depth)"
        switch reason {
        case .noCertificate: return "the server presented no certificate"
        case .invalidHost: return "the host is neither a DNS name nor an IP address"
        case .nameMismatch(let presented) where presented.isEmpty:
            return "the certificate names no host in subjectAltName, and the common name does not count"
        case .nameMismatch(let presented):
            return "the certificate is for " + ShortenedText.list(presented.lazy.map(\.description))
        case .expired(let notAfter): return "\(subject) expired at \(Timestamp.text(notAfter))"
        case .notYetValid(let notBefore): return "\(subject) is not valid before \(Timestamp.text(notBefore))"
        case .untrustedRoot: return "the chain ends in \(subject), which is not a trusted root"
        case .missingIssuer:
            let issuer = certificate.map { " (\(ShortenedText.shortened($0.issuer)))" } ?? ""
            return "the issuer\(issuer) of \(subject) was neither sent nor is it trusted"
        case .noAnchors: return "there are no trust anchors"
        case .wrongPurpose: return "\(subject) is not for TLS servers"
        case .invalidAuthority: return "\(subject) may not issue this chain"
        case .nameConstraint: return "a name constraint of an authority forbids \(subject)"
        case .weakKey: return "the key of \(subject) is too weak"
        case .weakSignature: return "the signature of \(subject) uses a hash that is too weak"
        case .invalidSignature: return "the signature of \(subject) does not verify"
        case .unknownCriticalExtension: return "\(subject) has a critical extension that is not understood"
        case .certificatePolicy:
            return "\(subject) lacks the certificate policies that an authority requires"
        case .chainTooLong: return "the chain is too long"
        case .rule(let rule): return "\(subject) \(rule.sentence)"
        case .limit(let limit): return limit.isAboutCertificate ? "\(subject) \(limit.sentence)" : limit.sentence
        case .keyNotPinned(let pins) where pins.isEmpty: return "no key is pinned, so none can match"
        case .keyNotPinned:
            guard let issuer = pinnedIssuer else { return "none of the pinned keys is in the chain" }
            return "the pinned key is that of an authority in the chain (\(issuer.subject)), not the server's own"
        case .certificateNotPinned(let pins) where pins.isEmpty: return "no certificate is pinned, so none can match"
        case .certificateNotPinned: return "none of the pinned certificates is in the chain"
        case .noRequiredEvaluator: return "there is no policy for the host, and every host must have one"
        case .noPolicy: return "the composite policy is empty, so it accepts no server"
        case .revoked(nil): return "\(subject) was revoked"
        case .revoked(let time?): return "\(subject) was revoked at \(Timestamp.text(time))"
        case .distrusted(let rule): return "\(subject) is on a list of distrusted certificates, by its \(rule.rawValue)"
        case .unknownToResponder: return "the OCSP responder does not know \(subject)"
        case .revocationUndetermined: return "neither a response nor a list shows that \(subject) is not revoked"
        case .revocationNotAsked:
            return "the policy requires the revocation status of \(subject), which the handshake did not ask for"
        case .missingStaple: return "\(subject) requires a stapled OCSP response, and the server sent no usable one"
        case .certificateTransparency(let shortfall): return shortfall.sentence
        case .protocolVersion(let version, let minimum):
            return "the server speaks \(version), and the policy requires \(minimum) or later"
        case .anchorCondition(let violation): return "\(subject) \(violation)"
        case .spiffe(let problem): return problem.sentence
        case .customEvaluation: return "the custom evaluation refused it"
        case .delegate: return "a delegate refused the server, which the policy had accepted"
        case .other: return "\(subject): \(verifyText)"
        }
    }
}

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
        case .distrusted: "distrusted"
        case .unknownToResponder: "unknown-to-responder"
        case .revocationUndetermined: "revocation-undetermined"
        case .revocationNotAsked: "revocation-not-asked"
        case .missingStaple: "missing-staple"
        case .certificateTransparency: "certificate-transparency"
        case .protocolVersion: "protocol-version"
        case .anchorCondition: "anchor-condition"
        case .spiffe(let problem): problem.rule
        case .customEvaluation: "custom-evaluation"
        case .delegate: "delegate"
        case .other: "other"
        }
    }
}

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
