// SPDX-License-Identifier: Apache-2.0
// Evaluation is a pure function of what the server sent, the anchors, the time, the host and the policy. Pins are only
// ever compared with a chain built here; the list the server sent merely supplies the bricks (CVE-2016-2402).

/// One server before its judge.
struct PolicyEvaluation {
    var trust: ServerTrust
    /// Nil leaves the name out, and only the name.
    var host: String?

    /// What a policy came to, before it is put into words.
    struct Findings {
        /// The chain it established; empty if it established none.
        var chain: [Certificate] = []
        /// Whether that chain was validated, and not merely signed.
        var isValidated = false
        var failure: TrustFailure?
        var waived: TrustFailure?
        /// Whether it accepts without pins, because they have expired.
        var hasExpiredPins = false
        var revocation: [RevocationFinding] = []
    }

    func result(of policy: ServerTrustPolicy) -> ServerTrustResult {
        let findings = findings(of: policy)
        return ServerTrustResult(
            verdict: findings.failure.map { .refused($0) } ?? .accepted, host: host ?? "", sentChain: trust.sentChain,
            verifiedChain: findings.chain, isChainValidated: findings.isValidated, waived: findings.waived,
            hasExpiredPins: findings.hasExpiredPins, revocation: findings.revocation, time: trust.time,
            policy: policy.description)
    }

    private func findings(of policy: ServerTrustPolicy) -> Findings {
        switch policy {
        case .performDefaultEvaluation(let validateHost): validated(validateHost)
        case .performRevokedEvaluation(let validateHost, let flags): unrevoked(validated(validateHost), flags)
        case .pinCertificates(let pins, validateCertificateChain: true, let validateHost):
            anchored(in: pins).validated(validateHost)
        case .pinCertificates(let pins, validateCertificateChain: false, _):
            signedPath { path in path.contains { pins.contains($0) } ? nil : .certificateNotPinned(pins: pins) }
        case .pinPublicKeys(let pins, validateCertificateChain: true, let validateHost):
            pinned(validated(validateHost)) { chain in Self.objection(pins, in: chain) }
        case .pinPublicKeys(let pins, validateCertificateChain: false, _):
            signedPath { path in Self.objection(pins, in: path) }
        case .pinSet(let set): findings(of: set)
        case .composite(let policies): findings(ofAll: policies)
        case .disableEvaluation: Findings()
        case .customEvaluation(let accepts):
            accepts(trust, host ?? "") ? Findings() : refused(.customEvaluation, seen: trust.sentChain)
        }
    }

    private func findings(of set: PinSet) -> Findings {
        var validated = validated(true)
        if set.isExpired(at: trust.time) {
            validated.hasExpiredPins = validated.failure == nil
            return validated
        }
        var findings = pinned(validated) { chain in set.matches(chain) ? nil : .keyNotPinned(pins: set.allPins) }
        if set.mode == .reportOnly, validated.failure == nil { swap(&findings.failure, &findings.waived) }
        return findings
    }

    /// The chain is the first that one of the policies validated; failing that, the first that one established.
    private func findings(ofAll policies: [ServerTrustPolicy]) -> Findings {
        var all: [Findings] = []
        for policy in policies {
            let findings = findings(of: policy)
            if findings.failure != nil { return findings }
            all.append(findings)
        }
        let established = all.filter { !$0.chain.isEmpty }
        guard var findings = established.first(where: \.isValidated) ?? established.first ?? all.first else {
            return refused(.noPolicy, seen: trust.sentChain)
        }
        findings.waived = all.lazy.compactMap(\.waived).first
        findings.hasExpiredPins = all.contains(where: \.hasExpiredPins)
        findings.revocation = all.flatMap(\.revocation)
        return findings
    }
}

// Where chains come from
extension PolicyEvaluation {
    private func validated(_ validateHost: Bool) -> Findings {
        guard let leaf = trust.sentChain.first else { return refused(.noCertificate, seen: []) }
        let name = validateHost ? host : nil
        let identity = name.flatMap(ReferenceIdentity.init)
        guard name == nil || identity != nil else {
            return refused(.invalidHost, certificate: leaf, seen: trust.sentChain)
        }
        let verifier = ChainVerifier(
            leaf: leaf, untrusted: Array(trust.sentChain.dropFirst()), store: trust.anchors.store, identity: identity,
            time: trust.time, profile: trust.profile)
        switch verifier.verify() {
        case .valid(let chain): return Findings(chain: chain, isValidated: true)
        case .refused(let problem):
            return Findings(
                failure: TrustFailure(problem, host: host ?? "", store: verifier.store, sent: trust.sentChain))
        }
    }

    private func signedPath(_ objection: ([Certificate]) -> TrustFailure.Reason?) -> Findings {
        guard let leaf = trust.sentChain.first else { return refused(.noCertificate, seen: []) }
        let path = SignedPath(trust: trust).build()
        let failure = objection(path).map { TrustFailure($0, host: host ?? "", certificate: leaf, seen: path) }
        return Findings(chain: path, failure: failure)
    }

    /// The same server with these certificates as its only anchors.
    ///
    /// A leaf that is itself an anchor needs no issuer: without the certificates it came with, an expired or foreign
    /// one among them cannot spoil it.
    private func anchored(in pins: [Certificate]) -> PolicyEvaluation {
        var evaluation = self
        evaluation.trust.anchors = .only(pins)
        if let leaf = trust.sentChain.first, pins.contains(leaf) { evaluation.trust.sentChain = [leaf] }
        return evaluation
    }
}

// What revocation adds
extension PolicyEvaluation {
    private func unrevoked(_ findings: Findings, _ flags: RevocationFlags) -> Findings {
        guard findings.failure == nil else { return findings }
        var findings = findings
        let check = RevocationCheck(data: trust.revocation, flags: flags, time: trust.time)
        findings.revocation = check.findings(in: findings.chain)
        findings.failure = check.failure(of: findings.revocation, in: findings.chain, host: host ?? "")
        return findings
    }
}

// What pins add
extension PolicyEvaluation {
    private func pinned(_ findings: Findings, _ objection: ([Certificate]) -> TrustFailure.Reason?) -> Findings {
        guard findings.failure == nil, let reason = objection(findings.chain) else { return findings }
        var findings = findings
        findings.failure = TrustFailure(reason, host: host ?? "", seen: findings.chain)
        return findings
    }

    private static func objection(_ pins: [PublicKey], in chain: [Certificate]) -> TrustFailure.Reason? {
        chain.contains { pins.contains($0.publicKey) } ? nil : .keyNotPinned(pins: pins)
    }

    private func refused(
        _ reason: TrustFailure.Reason, certificate: Certificate? = nil, seen: [Certificate]
    ) -> Findings {
        Findings(failure: TrustFailure(reason, host: host ?? "", certificate: certificate, seen: seen))
    }
}
