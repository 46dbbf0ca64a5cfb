// SPDX-License-Identifier: Apache-2.0
// Evaluation is a pure function of what the server sent, the anchors, the time, the host and the policy. Pins are only
// ever compared with a chain built here; the list the server sent merely supplies the bricks (CVE-2016-2402).

/// One server before its judge.
///
/// It may stop halfway, because going on would take longer than a reactor has: what it has come to by then is kept, and
/// it goes on from there elsewhere. The user's closures stay where they are: elsewhere they are passed over, and asked
/// when the rest is known.
struct PolicyEvaluation: Sendable {
    var trust: ServerTrust
    /// Nil leaves the name out, and only the name.
    var host: String?
    private var place = Place.anywhere
    /// What the policies of a composite came to by themselves, by their order.
    private var known: [Int: Findings] = [:]
    /// The same of those that may come to something else when more is known, or when they are asked again.
    private var passing: [Int: Findings] = [:]
    /// The chains of those that ask about revocation, which outlast what is known about it.
    private var chains: [Int: Findings] = [:]
    private var budget = EvaluationBudget.whole
    private var next = 0
    private var isRecorded = false

    private enum Place {
        /// Off the reactor: each policy may cost what one evaluation may cost at most.
        case anywhere
        /// Where everybody waits: all policies together may cost a little.
        case reactor
        /// As anywhere, but the user's closures belong to the reactor.
        case elsewhere
    }

    /// What a policy came to, before it is put into words.
    struct Findings: Sendable {
        /// The chain it established; empty if it established none.
        var chain: [X509Certificate] = []
        /// Whether that chain was validated, and not merely signed.
        var isValidated = false
        var failure: TrustFailure?
        var waived: TrustFailure?
        /// Whether it accepts without pins, because they have expired.
        var hasExpiredPins = false
        var revocation: [RevocationFinding] = []
    }

    init(trust: ServerTrust, host: String?) {
        self.trust = trust
        self.host = host
    }

    mutating func result(of policy: ServerTrustPolicy) -> ServerTrustResult {
        result(of: policy, findings(of: policy, .anywhere))
    }

    /// The same on a reactor; nil if that has not the time for it. Then `prepare` elsewhere, and try again.
    mutating func attempt(_ policy: ServerTrustPolicy) -> ServerTrustResult? {
        let findings = findings(of: policy, .reactor)
        return isOverBudget ? nil : result(of: policy, findings)
    }

    /// Does all the work there is before a result, but for asking the user.
    mutating func prepare(for policy: ServerTrustPolicy) { _ = findings(of: policy, .elsewhere) }

    /// There is more to judge revocation by, and the user is to be asked once more.
    mutating func take(_ revocation: RevocationData) {
        trust.revocation = revocation
        passing = [:]
    }

    private func result(of policy: ServerTrustPolicy, _ findings: Findings) -> ServerTrustResult {
        ServerTrustResult(
            verdict: findings.failure.map { .refused($0) } ?? .accepted, host: host ?? "", sentChain: trust.sentChain,
            verifiedChain: findings.chain, isChainValidated: findings.isValidated, waived: findings.waived,
            hasExpiredPins: findings.hasExpiredPins, revocation: findings.revocation, time: trust.time,
            policy: policy.description)
    }

    private var isOverBudget: Bool { place == .reactor && budget.isExceeded }

    private mutating func findings(of policy: ServerTrustPolicy, _ place: Place) -> Findings {
        self.place = place
        budget = place == .reactor ? .onReactor : .whole
        next = 0
        // A policy by itself is judged to its end where it is begun, or begun anew.
        isRecorded = place == .elsewhere
        if case .composite = policy, place == .reactor { isRecorded = true }
        return findings(of: policy)
    }

    private mutating func findings(of policy: ServerTrustPolicy) -> Findings {
        if case .composite(let policies) = policy { return findings(ofAll: policies) }
        let number = next
        next += 1
        if let known = known[number] ?? passing[number] { return known }
        if case .customEvaluation = policy, place == .elsewhere { return Findings() }
        if place != .reactor { budget = .whole }
        let findings = findings(of: policy, number)
        if isRecorded, !isOverBudget {
            if policy.isFinal { known[number] = findings } else { passing[number] = findings }
        }
        return findings
    }

    private mutating func findings(of policy: ServerTrustPolicy, _ number: Int) -> Findings {
        switch policy {
        case .performDefaultEvaluation(let validateHost): return validated(validateHost)
        case .performRevokedEvaluation(let validateHost, let flags):
            return unrevoked(validated(validateHost, number), flags)
        case .pinCertificates(let pins, validateCertificateChain: true, let validateHost):
            return validated(validateHost, anchoredIn: pins)
        case .pinCertificates(let pins, validateCertificateChain: false, _):
            return signedPath { path in path.contains { pins.contains($0) } ? nil : .certificateNotPinned(pins: pins) }
        case .pinPublicKeys(let pins, validateCertificateChain: true, let validateHost):
            return pinned(validated(validateHost)) { chain in Self.objection(pins, in: chain) }
        case .pinPublicKeys(let pins, validateCertificateChain: false, _):
            return signedPath { path in Self.objection(pins, in: path) }
        case .pinSet(let set): return findings(of: set)
        case .composite(let policies): return findings(ofAll: policies)
        case .disableEvaluation: return Findings()
        case .customEvaluation(let accepts):
            return accepts(trust, host ?? "") ? Findings() : refused(.customEvaluation, seen: trust.sentChain)
        }
    }

    private mutating func findings(of set: PinSet) -> Findings {
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
    private mutating func findings(ofAll policies: [ServerTrustPolicy]) -> Findings {
        var all: [Findings] = []
        for policy in policies {
            let findings = findings(of: policy)
            if findings.failure != nil || isOverBudget { return findings }
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
    private mutating func validated(_ validateHost: Bool) -> Findings { validated(validateHost, in: trust) }

    /// The chain of a policy that is asked about it more than once.
    private mutating func validated(_ validateHost: Bool, _ number: Int) -> Findings {
        if let known = chains[number] { return known }
        let findings = validated(validateHost)
        if !isOverBudget { chains[number] = findings }
        return findings
    }

    /// The chain with these certificates as its only anchors.
    ///
    /// A leaf that is itself an anchor needs no issuer: without the certificates it came with, an expired or foreign
    /// one among them cannot spoil it.
    private mutating func validated(_ validateHost: Bool, anchoredIn pins: [X509Certificate]) -> Findings {
        var trust = trust
        trust.anchors = .only(pins)
        if let leaf = trust.sentChain.first, pins.contains(leaf) { trust.sentChain = [leaf] }
        return validated(validateHost, in: trust)
    }

    private mutating func validated(_ validateHost: Bool, in trust: ServerTrust) -> Findings {
        guard let leaf = trust.sentChain.first else { return refused(.noCertificate, seen: []) }
        let name = validateHost ? host : nil
        let identity = name.flatMap(ReferenceIdentity.init)
        guard name == nil || identity != nil else {
            return refused(.invalidHost, certificate: leaf, seen: trust.sentChain)
        }
        let verifier = ChainVerifier(
            leaf: leaf, untrusted: Array(trust.sentChain.dropFirst()), store: trust.anchors.store, identity: identity,
            time: trust.time, profile: trust.profile)
        let outcome = verifier.verify(within: &budget)
        // What is going to be thrown away need not be put into words.
        if isOverBudget { return Findings() }
        switch outcome {
        case .valid(let chain): return Findings(chain: chain, isValidated: true)
        case .refused(let problem):
            return Findings(
                failure: TrustFailure(problem, host: host ?? "", store: verifier.store, sent: trust.sentChain))
        }
    }

    private mutating func signedPath(_ objection: ([X509Certificate]) -> TrustFailure.Reason?) -> Findings {
        guard let leaf = trust.sentChain.first else { return refused(.noCertificate, seen: []) }
        if let limit = ChainPlan.crossedLimit(of: trust.sentChain) { return refused(.limit(limit), seen: [leaf]) }
        let path = SignedPath(trust: trust).build(within: &budget)
        if isOverBudget { return Findings() }
        let failure = objection(path).map { TrustFailure($0, host: host ?? "", certificate: leaf, seen: path) }
        return Findings(chain: path, failure: failure)
    }
}

// What revocation adds
extension PolicyEvaluation {
    private mutating func unrevoked(_ findings: Findings, _ flags: RevocationFlags) -> Findings {
        guard findings.failure == nil, !isOverBudget else { return findings }
        // What is asked here is bounded where it is fetched: elsewhere it is always done.
        let cost = trust.revocation.cost(ofEvaluating: findings.chain.count - 1)
        if place == .reactor, !budget.spend(cost) { return findings }
        var findings = findings
        let check = RevocationCheck(data: trust.revocation, flags: flags, time: trust.time)
        findings.revocation = check.findings(in: findings.chain)
        findings.failure = check.failure(of: findings.revocation, in: findings.chain, host: host ?? "")
        return findings
    }
}

// What pins add
extension PolicyEvaluation {
    private func pinned(_ findings: Findings, _ objection: ([X509Certificate]) -> TrustFailure.Reason?) -> Findings {
        guard findings.failure == nil, let reason = objection(findings.chain) else { return findings }
        var findings = findings
        findings.failure = TrustFailure(reason, host: host ?? "", seen: findings.chain)
        return findings
    }

    private static func objection(_ pins: [X509Certificate.PublicKey], in chain: [X509Certificate]) -> TrustFailure
        .Reason?
    {
        chain.contains { pins.contains($0.publicKey) } ? nil : .keyNotPinned(pins: pins)
    }

    private func refused(
        _ reason: TrustFailure.Reason, certificate: X509Certificate? = nil, seen: [X509Certificate]
    ) -> Findings {
        Findings(failure: TrustFailure(reason, host: host ?? "", certificate: certificate, seen: seen))
    }
}

extension ServerTrustPolicy {
    /// Whether it comes to the same about the same certificates at the same moment, whatever else becomes known.
    fileprivate var isFinal: Bool {
        switch self {
        case .performRevokedEvaluation, .customEvaluation, .composite: false
        case .performDefaultEvaluation, .pinCertificates, .pinPublicKeys, .pinSet, .disableEvaluation: true
        }
    }
}
