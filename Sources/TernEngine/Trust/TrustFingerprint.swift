// SPDX-License-Identifier: Apache-2.0
import TernTLS

extension TrustSettings {
    /// What decides whether a server of this host is trusted, and what it learns of the client, as bytes that differ for
    /// other decisions; the system's anchors alone for the default policy. The bytes are the same in every process, unless
    /// a closure decides: then they are of these settings alone. The first time it may read the system's bundle.
    func fingerprint(forHost host: String) -> [[UInt8]] {
        guard let decision = try? decision(forHost: host) else { return [identity, Array("refused".utf8)] }
        var parts = tls.fingerprint(showing: identity(forHost: host) ?? tls.identity)
        let rules = decision.policy.demands
        if rules != ServerTrustPolicy.performDefaultEvaluation(validateHost: true).demands { parts += rules ?? [] }
        if rules == nil { parts.append(identity) }
        if decision.policy.asksForTimestamps { parts.append(tls.transparencyLogs?.fingerprint ?? []) }
        return parts + decision.rules.bytes
    }
}

extension TLSSettings {
    fileprivate func fingerprint(showing identity: ClientIdentity?) -> [[UInt8]] {
        var parts = anchors.bytes
        // By its names: one that is renewed is the same client.
        if let leaf = identity?.certificates.first {
            parts += [Array("identity".utf8), Array(leaf.issuer.utf8), Array(leaf.subject.utf8)]
            parts += leaf.subjectAlternativeNames.map { Array($0.description.utf8) }
        }
        if !revocationLists.isEmpty { parts += [Array("lists".utf8)] + revocationLists.map(\.digest) }
        if !distrustedCertificates.isEmpty {
            parts += [Array("distrusted".utf8), distrustedCertificates.digest]
        }
        if fetchesMissingIssuers { parts.append(Array("fetches issuers".utf8)) }
        if enforcesMustStaple { parts.append(Array("must staple".utf8)) }
        if !spiffeBundles.isEmpty { parts += [Array("bundles".utf8)] + SPIFFEPolicy.bytes(of: spiffeBundles) }
        return parts
    }
}

extension TrustAnchors {
    fileprivate var bytes: [[UInt8]] {
        let given: [[UInt8]] =
            switch source {
            case .system: []
            case .only(let anchors): [Array("only".utf8)] + anchors.map(\.der)
            case .systemAnd(let anchors): [Array("system and".utf8)] + anchors.map(\.der)
            case .folder(let path, let anchors): [Array("folder".utf8), Array(path.utf8)] + anchors.map(\.der)
            }
        return given + (systemDigest.map { [$0] } ?? [])
    }
}

extension TrustRules {
    fileprivate var bytes: [[UInt8]] {
        let values = [
            profile?.rawValue, maximumPathDepth?.description, minimumVersion?.description,
            minimumKeyStrength?.description, minimumSignatureStrength?.description, enforcesMustStaple?.description,
            fetchesMissingIssuers?.description,
        ]
        var bytes = (anchors?.bytes ?? []) + [Array(values.map { $0 ?? "-" }.joined(separator: " ").utf8)]
        bytes.append(distrusted.digest)
        for (anchor, conditions) in anchorConditions.sorted(by: { $0.key.der.lexicographicallyPrecedes($1.key.der) }) {
            bytes += [anchor.der, Array("\(conditions)".utf8)]
        }
        return bytes
    }
}

extension ServerTrustPolicy {
    /// The policy as bytes; nil if a closure is part of it.
    fileprivate var demands: [[UInt8]]? {
        switch self {
        case .performDefaultEvaluation, .disableEvaluation: [text]
        case .performRevokedEvaluation(_, let flags): [text, Array("\(flags.rawValue)".utf8)]
        case .pinCertificates(let pins, _, _): [text] + pins.map(\.der)
        case .pinPublicKeys(let pins, _, _): [text] + pins.map(\.sha256)
        case .pinSet(let set): [text] + set.bytes
        case .certificateTransparency(let policy): [text] + policy.bytes
        case .spiffe(let policy): [Array("spiffe".utf8)] + policy.bytes
        case .composite(let policies): Self.demands(of: policies).map { [text] + $0 }
        // What is only rehearsed decides nothing.
        case .rehearsal(_, let enforced): enforced.demands
        case .applying(let rules, let policy): policy.demands.map { rules.bytes + $0 }
        case .customEvaluation: nil
        }
    }

    private static func demands(of policies: [ServerTrustPolicy]) -> [[UInt8]]? {
        var all: [[UInt8]] = []
        for policy in policies {
            guard let demands = policy.demands else { return nil }
            all += demands
        }
        return all
    }

    private var text: [UInt8] { Array(description.utf8) }
}
