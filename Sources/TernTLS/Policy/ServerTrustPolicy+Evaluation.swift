// SPDX-License-Identifier: Apache-2.0
// Evaluation is a pure function of what the server sent, the anchors, the time, the host and the policy. Pins are only
// ever compared with a chain built here; the list the server sent merely supplies the bricks (CVE-2016-2402).

extension ServerTrustPolicy {
    /// Judges a server. Reads no file, no clock and no network, apart from what a custom evaluation does.
    ///
    /// - Parameter host: a DNS name in A-label form or an IP literal without brackets.
    public func evaluate(_ trust: ServerTrust, host: String) -> ServerTrustResult {
        let findings = findings(trust, host: host)
        return ServerTrustResult(
            verdict: findings.failure.map { .refused($0) } ?? .accepted, host: host, sentChain: trust.sentChain,
            verifiedChain: findings.chain, isChainValidated: validatesChain && !findings.chain.isEmpty,
            policy: description)
    }

    private typealias Findings = (chain: [Certificate], failure: TrustFailure?)

    private func findings(_ trust: ServerTrust, host: String) -> Findings {
        switch self {
        case .performDefaultEvaluation(let validateHost):
            return Self.verify(trust, host: host, validateHost: validateHost)
        case .pinCertificates(let pins, validateCertificateChain: true, let validateHost):
            return Self.verify(trust.anchored(in: pins), host: host, validateHost: validateHost)
        case .pinCertificates(let pins, validateCertificateChain: false, _):
            return Self.signedPath(trust, host: host) { path in
                path.contains { pins.contains($0) } ? nil : .certificateNotPinned(pins: pins)
            }
        case .pinPublicKeys(let pins, validateCertificateChain: true, let validateHost):
            let (chain, failure) = Self.verify(trust, host: host, validateHost: validateHost)
            if let failure { return (chain, failure) }
            return (chain, Self.match(pins, in: chain).map { TrustFailure($0, host: host, seen: chain) })
        case .pinPublicKeys(let pins, validateCertificateChain: false, _):
            return Self.signedPath(trust, host: host) { path in Self.match(pins, in: path) }
        case .disableEvaluation:
            return ([], nil)
        case .customEvaluation(let accepts):
            if accepts(trust, host) { return ([], nil) }
            return ([], TrustFailure(.customEvaluation, host: host, seen: trust.sentChain))
        }
    }

    private static func verify(_ trust: ServerTrust, host: String, validateHost: Bool) -> Findings {
        guard let leaf = trust.sentChain.first else {
            return ([], TrustFailure(.noCertificate, host: host, seen: []))
        }
        let identity = validateHost ? ReferenceIdentity(host) : nil
        if validateHost, identity == nil {
            return ([], TrustFailure(.invalidHost, host: host, certificate: leaf, seen: trust.sentChain))
        }
        let verifier = ChainVerifier(
            leaf: leaf, untrusted: Array(trust.sentChain.dropFirst()), store: trust.anchors.store, identity: identity,
            time: trust.time, profile: trust.profile)
        switch verifier.verify() {
        case .valid(let chain): return (chain, nil)
        case .refused(let problem):
            return ([], TrustFailure(problem, host: host, store: verifier.store, sent: trust.sentChain))
        }
    }

    private static func signedPath(
        _ trust: ServerTrust, host: String, objection: ([Certificate]) -> TrustFailure.Reason?
    ) -> Findings {
        guard let leaf = trust.sentChain.first else {
            return ([], TrustFailure(.noCertificate, host: host, seen: []))
        }
        let path = SignedPath(trust: trust).build()
        return (path, objection(path).map { TrustFailure($0, host: host, certificate: leaf, seen: path) })
    }

    private static func match(_ pins: [PublicKey], in chain: [Certificate]) -> TrustFailure.Reason? {
        chain.contains { pins.contains($0.publicKey) } ? nil : .keyNotPinned(pins: pins)
    }
}

extension ServerTrust {
    /// The same trust with these certificates as its only anchors.
    fileprivate func anchored(in pins: [Certificate]) -> ServerTrust {
        var trust = self
        trust.anchors = .only(pins)
        return trust
    }
}
