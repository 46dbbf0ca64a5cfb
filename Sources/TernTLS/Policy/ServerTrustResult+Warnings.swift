// SPDX-License-Identifier: Apache-2.0

extension ServerTrustResult {
    /// What will make a server be refused before long, or is hardly meant.
    public enum Warning: Sendable, Hashable {
        /// The certificate at `depth` of the verified chain, 0 the server's own, expires at `time`, in seconds since
        /// 1970-01-01T00:00:00Z.
        case expiresSoon(X509Certificate, depth: Int, time: Int64)
        /// The pin matches no certificate of the verified chain: the key is not in use any more, or not yet.
        case unusedPin(X509Certificate.PublicKey)
        /// A warning of the pin set.
        case pinSet(PinSet.Warning)
        /// The server was accepted only because the pin set, or the policy of Certificate Transparency, reports and does
        /// not enforce.
        case waived(TrustFailure)
        /// The policy that is rehearsed would refuse the server.
        case rehearsal(TrustFailure)
        /// The server stapled no OCSP response. Its certificate requires one (RFC 7633), if `isRequired`: then clients
        /// that check revocation refuse the server.
        case noStaple(isRequired: Bool)
        /// The server stapled an OCSP response that says nothing of its certificate: it is out of date, say.
        case unusableStaple
        /// The server did not send this certificate of the chain, which was fetched.
        case fetchedIssuer(FetchedIssuer)

        /// A word for scripts, which stays the same.
        public var rule: String {
            switch self {
            case .expiresSoon(_, let depth, _): depth == 0 ? "expires-soon" : "issuer-expires-soon"
            case .unusedPin: "unused-pin"
            case .pinSet: "pin-set"
            case .waived(let failure):
                if case .certificateTransparency = failure.reason { "unlogged" } else { "waived" }
            case .rehearsal: "rehearsal"
            case .unusableStaple: "unusable-staple"
            case .noStaple(let isRequired): isRequired ? "missing-staple" : "no-staple"
            case .fetchedIssuer: "fetched-issuer"
            }
        }
    }

    /// The warnings about a server that is accepted; none about one that is refused, whose ``failure`` says why.
    ///
    /// - Parameters:
    ///   - seconds: how long before its end a certificate's validity is a warning; nil for 14 days, or for a third of its
    ///     time if that is shorter.
    ///   - pinSet: the pins of the host, if there are any.
    public func warnings(within seconds: Int64?, pinSet: PinSet? = nil) -> [Warning] {
        guard isAccepted else { return [] }
        var warnings = waivedFailures.map(Warning.waived) + rehearsals.compactMap(\.failure).map(Warning.rehearsal)
        warnings += fetchedIssuers.map(Warning.fetchedIssuer)
        for (depth, certificate) in verifiedChain.enumerated() {
            guard let end = certificate.notAfter else { continue }
            let (left, overflows) = end.subtractingReportingOverflow(time)
            if !overflows, left <= certificate.warningTime(seconds) {
                warnings.append(.expiresSoon(certificate, depth: depth, time: end))
            }
        }
        guard let pinSet else { return warnings }
        let keys = Set(verifiedChain.map(\.publicKey))
        warnings += pinSet.pins.filter { !keys.contains($0) }.map(Warning.unusedPin)
        return warnings + pinSet.warnings(at: time).map(Warning.pinSet)
    }
}

extension X509Certificate {
    /// How long before its end it is told, in seconds: 14 days, but of one that lives for days a third of its time, because
    /// it is renewed when it ends within hours.
    package func warningTime(_ given: Int64?) -> Int64 {
        let usual: Int64 = 14 * 86400
        if let given { return given }
        guard let notBefore, let notAfter,
            case let (life, overflows) = notAfter.subtractingReportingOverflow(notBefore),
            !overflows
        else { return usual }
        return min(usual, max(0, life / 3))
    }
}

extension ServerTrust {
    /// The warning that the server stapled no OCSP response although its certificate requires one (RFC 7633), or, if
    /// `expectsStaple`, although it names a responder; or that it stapled one that says nothing of its certificate. Nil if
    /// there is no such warning. What a staple says counts where the trust is evaluated.
    ///
    /// - Parameters:
    ///   - expectsStaple: whether servers are expected to staple.
    ///   - chain: the verified chain; empty if there is none, and the content of a staple is not looked at.
    public func stapleWarning(expectsStaple: Bool, of chain: [X509Certificate] = []) -> ServerTrustResult.Warning? {
        guard let leaf = sentChain.first else { return nil }
        if let staple = revocation.stapledResponse {
            guard chain.count > 1,
                OCSPCheck(certificate: chain[0], issuer: chain[1]).status(by: staple, at: time) == .undetermined
            else { return nil }
            return .unusableStaple
        }
        let isRequired = leaf.x509.demandsStaple
        guard isRequired || expectsStaple && !leaf.x509.responderURLs.isEmpty else { return nil }
        return .noStaple(isRequired: isRequired)
    }
}

extension ServerTrustResult.Warning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .expiresSoon(let certificate, let depth, let time):
            "certificate \(depth) (\(certificate)) expires at \(Timestamp.text(time))"
        case .unusedPin(let key): "\(key.pin) is pinned, and is in no certificate of the chain"
        case .pinSet(let warning): "\(warning)"
        case .waived(let failure): "would be refused if the policy were enforced: \(failure)"
        case .rehearsal(let failure): "would be refused by the policy that is rehearsed: \(failure)"
        case .unusableStaple:
            "the server staples an OCSP response that says nothing of its certificate: out of date, of another certificate, or not signed by its issuer"
        case .noStaple(isRequired: true): "the certificate requires a stapled OCSP response, and the server sends none"
        case .noStaple(isRequired: false): "the server staples no OCSP response"
        case .fetchedIssuer(let issuer): issuer.description
        }
    }
}
