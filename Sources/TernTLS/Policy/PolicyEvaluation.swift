// SPDX-License-Identifier: Apache-2.0
// Evaluation is a pure function of the certificates that the server sent, the anchors, the time, the host and the
// policy. Pins are compared only with a chain built here; the list that the server sent only supplies candidates
// (CVE-2016-2402).
import CTernOpenSSL

/// The evaluation of one server.
///
/// It may stop halfway if it would take longer than a reactor can afford: its results so far are kept, and it continues
/// from there on another thread. The user's closures are not called on that thread: they are skipped there, and called
/// when the rest is known.
struct PolicyEvaluation: Sendable {
    var trust: ServerTrust
    /// Nil skips the name check, and only that.
    var host: String?
    private var place = Place.anywhere
    /// The verdicts of the policies of a composite, in their order.
    private var known: [Int: Findings] = [:]
    /// Those of them that may change when more is known, or when the policies are evaluated again.
    private var passing: [Int: Findings] = [:]
    /// The chains by what they were validated for, so that several policies need one, also when more becomes known.
    private var chains: [ChainKey: Findings] = [:]
    /// What the staple says of a leaf that requires one.
    private var staple: StapleVerdict?
    private var budget = EvaluationBudget.whole
    private var next = 0
    /// Numbers the rules in force: 0 is the session's.
    private var scope = 0
    private var lastScope = 0
    private var isRecorded = false

    private enum Place {
        /// Off the reactor: each policy has the budget of one evaluation.
        case anywhere
        /// On the reactor: all policies together have a small budget.
        case reactor
        /// As off the reactor, but closures of the user run only on the reactor.
        case elsewhere
    }

    private struct ChainKey: Hashable, Sendable {
        let scope: Int
        let validatesHost: Bool
    }

    private struct StapleVerdict: Sendable {
        let isRequired: Bool
        let findings: [RevocationFinding]
        let failure: TrustFailure?
    }

    typealias Findings = ServerTrustResult.Findings

    init(trust: ServerTrust, host: String?) {
        self.trust = trust
        self.host = host
    }

    mutating func result(of policy: ServerTrustPolicy) -> ServerTrustResult {
        result(of: policy, findings(of: policy, .anywhere))
    }

    /// Returns the result within the budget of a reactor; nil if it exceeds that. Then call `prepare` on another
    /// thread, and try again.
    mutating func attempt(_ policy: ServerTrustPolicy) -> ServerTrustResult? {
        let findings = findings(of: policy, .reactor)
        return isOverBudget ? nil : result(of: policy, findings)
    }

    /// Does all the work for a result, except calling the user's closures.
    mutating func prepare(for policy: ServerTrustPolicy) { _ = findings(of: policy, .elsewhere) }

    /// Adds revocation data; the user's closures are called again.
    mutating func take(_ revocation: RevocationData) {
        trust.revocation = revocation
        passing = [:]
        staple = nil
    }

    /// Adds candidates for the chain, with which every policy is evaluated again.
    mutating func take(_ issuers: [FetchedIssuer]) {
        if issuers.isEmpty { return }
        trust.fetchedIssuers += issuers
        (known, passing, chains, staple) = ([:], [:], [:], nil)
    }

    private func result(of policy: ServerTrustPolicy, _ findings: Findings) -> ServerTrustResult {
        ServerTrustResult(findings, about: trust, host: host ?? "", policy: policy.description)
    }

    private var isOverBudget: Bool { place == .reactor && budget.isExceeded }

    private mutating func findings(of policy: ServerTrustPolicy, _ place: Place) -> Findings {
        self.place = place
        budget = place == .reactor ? .onReactor : .whole
        (next, scope, lastScope) = (0, 0, 0)
        // A single policy is evaluated completely where it is started or restarted.
        isRecorded = place == .elsewhere
        if !policy.children.isEmpty, place == .reactor { isRecorded = true }
        let findings = findings(of: policy)
        return stapled(findings, by: policy)
    }

    private mutating func findings(of policy: ServerTrustPolicy) -> Findings {
        // Those that it combines have numbers of their own.
        if !policy.children.isEmpty { return findings(ofSingle: policy) }
        let number = next
        next += 1
        if let known = known[number] ?? passing[number] { return known }
        if case .customEvaluation = policy, place == .elsewhere { return Findings() }
        if place != .reactor { budget = .whole }
        let findings = findings(ofSingle: policy)
        if isRecorded, !isOverBudget {
            if policy.isFinal { known[number] = findings } else { passing[number] = findings }
        }
        return findings
    }

    private mutating func findings(ofSingle policy: ServerTrustPolicy) -> Findings {
        switch policy {
        case .performDefaultEvaluation(let validateHost): return validated(validateHost)
        case .performRevokedEvaluation(let validateHost, let flags):
            return unrevoked(validated(validateHost), flags)
        case .pinCertificates(let pins, validateCertificateChain: true, let validateHost):
            return validated(validateHost, anchoredIn: pins)
        case .pinCertificates(let pins, validateCertificateChain: false, _):
            return signedPath { path in path.contains { pins.contains($0) } ? nil : .certificateNotPinned(pins: pins) }
        case .pinPublicKeys(let pins, validateCertificateChain: true, let validateHost):
            return pinned(validated(validateHost)) { chain in Self.objection(pins, in: chain) }
        case .pinPublicKeys(let pins, validateCertificateChain: false, _):
            return signedPath { path in Self.objection(pins, in: path) }
        case .pinSet(let set): return findings(of: set)
        case .certificateTransparency(let rules): return logged(validated(true), rules)
        case .spiffe(let rules): return findings(of: rules)
        case .composite(let policies): return findings(ofAll: policies)
        case .rehearsal(let next, let enforced): return findings(rehearsing: next, enforcing: enforced)
        case .applying(let rules, let policy): return findings(of: policy, under: rules)
        case .disableEvaluation: return Findings()
        case .customEvaluation(let accepts):
            return accepts(trust, host ?? "") ? Findings() : refused(.customEvaluation, seen: trust.sentChain)
        }
    }

    private mutating func findings(of set: PinSet) -> Findings {
        if !set.validatesChain {
            var findings = signedPath { path in set.matches(path) ? nil : .keyNotPinned(pins: set.allPins) }
            if set.mode == .reportOnly { findings.waive() }
            return findings
        }
        var validated = validated(true)
        if set.isExpired(at: trust.time) {
            validated.hasExpiredPins = validated.failure == nil
            return validated
        }
        var findings = pinned(validated) { chain in set.matches(chain) ? nil : .keyNotPinned(pins: set.allPins) }
        if set.mode == .reportOnly, validated.failure == nil { findings.waive() }
        return findings
    }

    /// The chain is the first that one of the policies validated, or else the first that one established.
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
        findings.waived = all.flatMap(\.waived)
        findings.hasExpiredPins = all.contains(where: \.hasExpiredPins)
        findings.revocation = all.flatMap(\.revocation)
        let verdicts = all.compactMap(\.transparency)
        findings.transparency = verdicts.first { $0.shortfall != nil } ?? verdicts.first
        findings.rehearsals = all.flatMap(\.rehearsals)
        return findings
    }

    /// The findings of the enforced policy, beside the verdict of the other.
    private mutating func findings(
        rehearsing next: ServerTrustPolicy, enforcing enforced: ServerTrustPolicy
    ) -> Findings {
        var findings = findings(of: enforced)
        if isOverBudget { return findings }
        let rehearsed = stapled(self.findings(of: next), by: next)
        if isOverBudget { return rehearsed }
        findings.rehearsals.append(result(of: next, rehearsed))
        return findings
    }

    private mutating func findings(of policy: ServerTrustPolicy, under rules: TrustRules) -> Findings {
        let outer = (trust, scope)
        trust = trust.applying(rules)
        lastScope += 1
        scope = lastScope
        var findings = findings(of: policy)
        (trust, scope) = outer
        if findings.failure == nil, !isOverBudget {
            findings.failure = rules.objection(
                to: findings.isValidated ? findings.chain : [], over: trust.protocolVersion, at: trust.time, host: host)
        }
        return findings
    }
}

// Workloads
extension PolicyEvaluation {
    /// The certificate, not verified yet, says in whose authorities its chain must end.
    private mutating func findings(of policy: SPIFFEPolicy) -> Findings {
        guard let leaf = trust.sentChain.first else { return refused(.noCertificate, seen: []) }
        let size = CertificateSize(leaf)
        if let limit = size.crossedLimit { return refused(.limit(limit), certificate: leaf, seen: trust.sentChain) }
        guard budget.spend(size.readingCost) else {
            return refused(.limit(.work), certificate: leaf, seen: trust.sentChain)
        }
        var trust = trust
        trust.profile = .standard
        do throws(SPIFFEProblem) {
            let id = try leaf.workload()
            guard let bundle = policy.bundles[id.trustDomain] ?? trust.spiffeBundles[id.trustDomain] else {
                throw .otherTrustDomain(id)
            }
            trust.anchors = bundle.anchors
        } catch {
            return refused(.spiffe(error), certificate: leaf, seen: trust.sentChain)
        }
        return pinned(validated(false, in: trust)) { chain in policy.problem(of: chain).map { .spiffe($0) } }
    }
}

// Sources of chains
extension PolicyEvaluation {
    /// The chain under the rules in force.
    private mutating func validated(_ validateHost: Bool) -> Findings {
        let key = ChainKey(scope: scope, validatesHost: validateHost)
        if let known = chains[key] { return known }
        let findings = validated(validateHost, in: trust)
        if !isOverBudget { chains[key] = findings }
        return findings
    }

    /// The chain with these certificates as its only anchors.
    ///
    /// A leaf that is itself an anchor needs no issuer: without the other certificates, an expired or unrelated one
    /// among them cannot cause a failure.
    private mutating func validated(_ validateHost: Bool, anchoredIn pins: [X509Certificate]) -> Findings {
        var trust = trust
        trust.anchors = .only(pins)
        if let leaf = trust.sentChain.first, pins.contains(leaf) {
            (trust.sentChain, trust.fetchedIssuers) = ([leaf], [])
        }
        return validated(validateHost, in: trust)
    }

    private mutating func validated(_ validateHost: Bool, in trust: ServerTrust) -> Findings {
        guard let leaf = trust.sentChain.first else { return refused(.noCertificate, seen: []) }
        let name = validateHost ? host : nil
        let identity = name.flatMap(ReferenceIdentity.init)
        guard name == nil || identity != nil else {
            return refused(.invalidHost, certificate: leaf, seen: trust.sentChain)
        }
        var untrusted = Array(trust.sentChain.dropFirst())
        for issuer in trust.fetchedIssuers { untrusted.append(issuer.certificate) }
        var refusal: TrustFailure?
        while true {
            let verifier = ChainVerifier(
                leaf: leaf, untrusted: untrusted, store: trust.anchors.store, identity: identity, time: trust.time,
                isBetweenSeconds: trust.isBetweenSeconds, rules: trust.rules)
            let outcome = verifier.verify(within: &budget)
            // A verdict that is discarded needs no text.
            if isOverBudget { return Findings() }
            switch outcome {
            case .valid(let chain):
                guard let found = trust.distrustedCertificates.finding(in: chain) else {
                    return Findings(chain: chain, isValidated: true)
                }
                let certificate = chain[found.depth]
                let failure = TrustFailure(
                    .distrusted(found.reason), host: host ?? "", verifyCode: X509_V_ERR_CERT_REVOKED,
                    depth: found.depth, certificate: certificate, seen: chain)
                // Another chain may lead around it, as after a cross-signature was revoked.
                let others = untrusted.filter { $0 != certificate }
                if found.depth == 0 || others.count == untrusted.count { return Findings(failure: refusal ?? failure) }
                (refusal, untrusted) = (refusal ?? failure, others)
            case .refused(let problem):
                return Findings(
                    failure: refusal
                        ?? TrustFailure(problem, host: host ?? "", store: verifier.store, sent: trust.sentChain))
            }
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

// Revocation
extension PolicyEvaluation {
    private mutating func unrevoked(_ findings: Findings, _ flags: RevocationFlags) -> Findings {
        guard findings.failure == nil, !isOverBudget else { return findings }
        // The work here is bounded by the size of the fetched data, so it always runs off the reactor.
        let cost = trust.revocation.cost(ofEvaluating: findings.chain.count - 1)
        if place == .reactor, !budget.spend(cost) { return findings }
        var findings = findings
        let check = RevocationCheck(data: trust.revocation, flags: flags, time: trust.time)
        findings.revocation = check.findings(in: findings.chain)
        findings.failure = check.failure(of: findings.revocation, in: findings.chain, host: host ?? "")
        return findings
    }
}

// The staple
extension PolicyEvaluation {
    /// For policies that do not check revocation by OCSP: as if they did with nothing but the staple. A staple that says
    /// "revoked" refuses the server under each of them. A missing one does where must-staple is enforced (RFC 7633 §4.3.3).
    private mutating func stapled(_ findings: Findings, by policy: ServerTrustPolicy) -> Findings {
        let enforcesMustStaple = policy.enforcesMustStaple ?? trust.enforcesMustStaple
        guard enforcesMustStaple || trust.revocation.stapledResponse != nil, findings.failure == nil,
            findings.isValidated, !isOverBudget, findings.chain.count > 1,
            !findings.revocation.contains(where: { $0.depth == 0 && $0.source == .staple })
        else { return findings }
        let isRequired = enforcesMustStaple && findings.chain[0].x509.demandsStaple
        // A policy that checks revocation has done so by its own flags.
        if !isRequired, trust.revocation.stapledResponse == nil || !findings.revocation.isEmpty { return findings }
        if staple?.isRequired != isRequired {
            var data = RevocationData()
            data.stapledResponse = trust.revocation.stapledResponse
            // The response is read for the finding, and where it is required again for the failure.
            if place == .reactor, !budget.spend(data.cost(ofEvaluating: isRequired ? 2 : 1)) { return findings }
            let check = RevocationCheck(data: data, flags: [.ocsp, .networkAccessDisabled], time: trust.time)
            let found = check.findings(in: Array(findings.chain.prefix(2)))
            staple = StapleVerdict(
                isRequired: isRequired, findings: found,
                failure: isRequired
                    ? check.failure(of: found, in: findings.chain, host: host ?? "")
                    : check.revocation(by: found, in: findings.chain, host: host ?? ""))
        }
        guard let staple, isRequired || staple.failure != nil else { return findings }
        var findings = findings
        if findings.revocation.isEmpty { findings.revocation = staple.findings }
        findings.failure = staple.failure
        return findings
    }
}

// Certificate Transparency
extension PolicyEvaluation {
    private mutating func logged(_ findings: Findings, _ policy: TransparencyPolicy) -> Findings {
        var policy = policy
        policy.logs = policy.logs ?? trust.transparencyLogs
        guard findings.failure == nil, !isOverBudget else { return findings }
        let staple = trust.revocation.stapledResponse
        if place == .reactor, let staple, !budget.spend(staple.readingCost) { return findings }
        guard
            let check = TransparencyCheck(
                policy: policy, chain: findings.chain, handshake: trust.handshakeTimestamps,
                staple: staple, time: trust.time)
        else { return findings }
        // Like that about revocation, the work is bounded, so it always runs off the reactor.
        if place == .reactor, !budget.spend(check.cost) { return findings }
        var findings = findings
        let verdict = check.verdict()
        findings.transparency = verdict
        guard let shortfall = verdict.shortfall else { return findings }
        let failure = TrustFailure(
            .certificateTransparency(shortfall), host: host ?? "", certificate: findings.chain.first,
            seen: findings.chain)
        switch policy.mode {
        case .enforce: findings.failure = failure
        case .reportOnly: findings.waived.append(failure)
        }
        return findings
    }
}

// Pins
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
    /// Whether the verdict stays the same for the same certificates at the same time, whatever else becomes known.
    fileprivate var isFinal: Bool {
        switch self {
        case .performRevokedEvaluation, .certificateTransparency, .customEvaluation, .composite, .rehearsal, .applying:
            false
        case .performDefaultEvaluation, .pinCertificates, .pinPublicKeys, .pinSet, .spiffe, .disableEvaluation: true
        }
    }
}

extension ServerTrustPolicy {
    /// Evaluates a server for a host: a DNS name in A-label form or an IP literal without brackets. Uses no file, clock
    /// or network, except in a custom evaluation.
    public func evaluate(_ trust: ServerTrust, host: String) -> ServerTrustResult {
        var evaluation = PolicyEvaluation(trust: trust, host: host)
        return evaluation.result(of: self)
    }

    /// Whether a server is accepted for a host, as in Alamofire 4; `evaluate(_:host:)` also gives the reason.
    public func evaluate(_ serverTrust: ServerTrust, forHost host: String) -> Bool {
        evaluate(serverTrust, host: host).isAccepted
    }

    /// Evaluates a chain as `evaluate` does, but for no particular host: no name is checked. For tests without a
    /// network; a connection always has a host.
    public func evaluateChain(_ trust: ServerTrust) -> ServerTrustResult {
        var evaluation = PolicyEvaluation(trust: trust, host: nil)
        return evaluation.result(of: self)
    }
}

/// The path that pins are compared with when a policy does not validate the chain: the leaf, followed by authorities
/// whose keys really signed the certificate below. Dates, names, purposes and anchors are not checked.
///
/// Comparing pins with the list the server sent would be worthless: anyone can append a pinned certificate to it. Even
/// so only a pinned *leaf* protects here. A pinned authority accepts whatever it has signed, for any host.
struct SignedPath {
    var trust: ServerTrust

    private static let maximumLength = 10
    /// A bound on work that does not affect honest chains: each certificate has one issuer, and a few candidates that
    /// share its name.
    private static let maximumSignatureChecks = 32

    /// - Parameter budget: the allowed work. If it runs out, discard the result.
    func build(within budget: inout EvaluationBudget) -> [X509Certificate] {
        defer { OpenSSLError.clear() }
        guard let leaf = trust.sentChain.first else { return [] }
        guard budget.spend(trust.sentChain.reduce(0) { $0 + CertificateSize($1).readingCost }) else { return [leaf] }
        let sent = trust.sentChain.dropFirst().filter(\.hasSupportedKey)
        var path = [leaf]
        var checks = 0
        while path.count < Self.maximumLength, let last = path.last, !last.mayHaveIssued(last) {
            let candidates = trust.anchors.store.certificates(issuing: last) + sent
            let issuer = candidates.first { candidate in
                guard !path.contains(candidate), mayIssue(candidate, last) else { return false }
                checks += 1
                return checks <= Self.maximumSignatureChecks && budget.spend(candidate.verificationCost)
                    && signed(last, by: candidate)
            }
            guard let issuer else { break }
            path.append(issuer)
        }
        return path
    }

    private func mayIssue(_ candidate: X509Certificate, _ certificate: X509Certificate) -> Bool {
        unsafe candidate.mayHaveIssued(certificate) && X509_check_ca(candidate.x509.pointer) != 0
    }

    private func signed(_ certificate: X509Certificate, by issuer: X509Certificate) -> Bool {
        var strength: Int32 = 0
        guard let key = unsafe X509_get0_pubkey(issuer.x509.pointer),
            unsafe X509_get_signature_info(certificate.x509.pointer, nil, nil, &strength, nil) == 1
        else { return false }
        // A signature that can be forged (MD5, SHA-1) proves nothing.
        guard strength >= 112, unsafe EVP_PKEY_get_security_bits(key) >= 112 else { return false }
        return unsafe X509_verify(certificate.x509.pointer, key) == 1
    }
}
