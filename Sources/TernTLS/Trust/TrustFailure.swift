// SPDX-License-Identifier: Apache-2.0
// Safety: OpenSSL's words for a code are constants, and are copied.
import CTernOpenSSL

/// Why a server was refused: the rule, the certificate it is about, and what would be needed to put it right.
public struct TrustFailure: Error, Sendable, Hashable {
    /// The rules a server can break, each with what is to be known about it.
    public enum Reason: Sendable, Hashable {
        /// The server presented no certificate.
        case noCertificate
        /// The host to evaluate for is neither a DNS name nor an IP address.
        case invalidHost
        /// The leaf is made out to other names than the host.
        case nameMismatch(presented: [SubjectAlternativeName])
        /// The certificate at `depth` was valid until `notAfter`.
        case expired(notAfter: Int64?)
        /// The certificate at `depth` becomes valid at `notBefore`.
        case notYetValid(notBefore: Int64?)
        /// The chain is complete, and ends in a root that is no anchor.
        case untrustedRoot
        /// The issuer of the certificate at `depth` is neither among the anchors nor sent by the server.
        case missingIssuer
        /// There is not a single anchor: a system without CA certificates, or a policy without pins.
        case noAnchors
        /// The certificate at `depth` is not for TLS servers.
        case wrongPurpose
        /// The certificate at `depth` acts as an authority and may not, or not this far down.
        case invalidAuthority
        /// A name constraint of an authority forbids the leaf's names.
        case nameConstraint
        /// The key at `depth` is too small, such as RSA below 2048 bits.
        case weakKey
        /// The signature at `depth` uses a broken hash, such as SHA-1.
        case weakSignature
        /// The signature at `depth` does not verify.
        case invalidSignature
        /// The certificate at `depth` has a critical extension that is not known here.
        case unknownCriticalExtension
        /// More certificates lie between leaf and anchor than are followed.
        case chainTooLong
        /// An authority demands certificate policies, and the chain has none that is valid (RFC 5280 §6.1.5 g), or
        /// mappings that lead to more than are followed.
        case certificatePolicy
        /// The certificate at `depth` breaks a rule of RFC 5280 or of the profile. Nearly all of these OpenSSL does not
        /// check.
        case rule(CertificateRule)
        /// Judging the server further would cost more than any server may; `depth` counts where the limit is about one
        /// certificate.
        case limit(EvaluationLimit)
        /// None of the pinned keys is in the chain the pins were compared with.
        case keyNotPinned(pins: [X509Certificate.PublicKey])
        /// None of the pinned certificates is in the chain the pins were compared with.
        case certificateNotPinned(pins: [X509Certificate])
        /// There is no policy for the host, and every host has to have one.
        case noRequiredEvaluator
        /// A composite of no policies.
        case noPolicy
        /// The certificate at `depth` was revoked at this moment, in seconds since 1970, as far as that is told.
        case revoked(at: Int64?)
        /// The responder in charge of the certificate at `depth` does not know it.
        case unknownToResponder
        /// No response and no list says that the certificate at `depth` is not revoked, and the policy demands it.
        case revocationUndetermined
        /// The policy demands to know whether the certificate at `depth` is revoked, and the handshake that brought it
        /// asked about less: its session has another policy, see ``RevocationData/askedQuestions``.
        case revocationNotAsked
        /// The leaf demands that its server staple a response (RFC 7633), and the server stapled none that is usable.
        case missingStaple
        /// The custom evaluation returned false.
        case customEvaluation
        /// A delegate refused a server that the policy accepted.
        case delegate
        /// Another rule of OpenSSL's; `verifyCode` and `verifyText` say which.
        case other
    }

    /// One certificate a pin could be taken from.
    public struct Seen: Sendable, Hashable {
        /// Its name as `X509Certificate.subject` has it, or that it has none.
        public let subject: String
        /// Its key, in a form that can be pinned.
        public let publicKey: X509Certificate.PublicKey

        init(_ certificate: X509Certificate) {
            subject = certificate.description
            publicKey = certificate.publicKey
        }
    }

    /// The rule that refused.
    public let reason: Reason
    /// The host as it was asked for.
    public let host: String
    /// OpenSSL's `X509_V_ERR_…` code, or 0 where the rule is ours.
    public let verifyCode: Int32
    /// OpenSSL's words for `verifyCode`, or empty.
    public let verifyText: String
    /// The position in the chain of the certificate the failure is about; 0 is the leaf.
    public let depth: Int
    /// The certificate at `depth`, as far as there is one.
    public let certificate: X509Certificate?
    /// The certificates the verdict was about, leaf first: the verified chain where there is one, otherwise the list
    /// the server sent, which proves nothing.
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
    /// One line, without the pins; `ServerTrustResult.explanation` has them all.
    public var description: String { "\(ShortenedText.shortened(host)) is not trusted: \(sentence)" }

    /// The rule in words, without a full stop.
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
            return "the certificate policies an authority demands are not to be found in \(subject)"
        case .chainTooLong: return "the chain is too long"
        case .rule(let rule): return "\(subject) \(rule.sentence)"
        case .limit(let limit): return limit.isAboutCertificate ? "\(subject) \(limit.sentence)" : limit.sentence
        case .keyNotPinned(let pins) where pins.isEmpty: return "no key is pinned, so none can match"
        case .keyNotPinned: return "none of the pinned keys is in the chain"
        case .certificateNotPinned(let pins) where pins.isEmpty: return "no certificate is pinned, so none can match"
        case .certificateNotPinned: return "none of the pinned certificates is in the chain"
        case .noRequiredEvaluator: return "there is no policy for the host, and every host has to have one"
        case .noPolicy: return "no policy has to accept it, so none does"
        case .revoked(nil): return "\(subject) was revoked"
        case .revoked(let time?): return "\(subject) was revoked at \(Timestamp.text(time))"
        case .unknownToResponder: return "the OCSP responder does not know \(subject)"
        case .revocationUndetermined: return "neither a response nor a list shows that \(subject) is not revoked"
        case .revocationNotAsked:
            return "the handshake did not ask whether \(subject) is revoked, and the policy demands it"
        case .missingStaple: return "\(subject) demands a stapled OCSP response, and the server sent none that counts"
        case .customEvaluation: return "the custom evaluation refused it"
        case .delegate: return "a delegate refused it, and the policy had accepted it"
        case .other: return "\(subject): \(verifyText)"
        }
    }
}
