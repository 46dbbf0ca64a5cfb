// SPDX-License-Identifier: Apache-2.0

/// How a server is to be judged: Alamofire 4's cases with Alamofire 4's meaning, on OpenSSL.
///
/// Wherever a chain is validated, that means signatures, dates of every certificate, authority flags, name constraints,
/// key strengths and the purpose "TLS server". `validateHost` adds the name, and `validateCertificateChain: false`
/// takes everything away but the pins, the host included.
public enum ServerTrustPolicy: Sendable {
    /// The chain has to end in one of the trust's anchors.
    case performDefaultEvaluation(validateHost: Bool)

    /// As by default, and none of the chain's certificates below the anchor may be revoked. A server that cannot be
    /// found out about passes, unless the flags demand a positive response.
    ///
    /// In a handshake the server is asked for a stapled OCSP response, and what is missing is fetched before a request
    /// is sent, unless the flags forbid it. Offline, `ServerTrust.revocation` is all there is.
    case performRevokedEvaluation(validateHost: Bool, revocationFlags: RevocationFlags)

    /// The pinned certificates become the only anchors: leaf, intermediate and root each work as a pin, and the
    /// system's roots do not count.
    ///
    /// Without validation of the chain: a pinned certificate has to be part of the path whose signatures hold. Only a
    /// pinned leaf is safe then: an authority vouches for every host.
    case pinCertificates(certificates: [X509Certificate], validateCertificateChain: Bool, validateHost: Bool)

    /// The chain has to end in one of the trust's anchors, and one of the pinned keys has to be in the *verified*
    /// chain, whatever else the server sent. Keys that do not occur (backups) do no harm; none at all refuses everyone.
    ///
    /// Without validation of the chain: as for certificates.
    case pinPublicKeys(publicKeys: [X509Certificate.PublicKey], validateCertificateChain: Bool, validateHost: Bool)

    /// Chain and host are validated as by default, and one of the set's keys has to be in the verified chain, unless
    /// the set is expired or only reports.
    case pinSet(PinSet)

    /// All of them have to accept; the first refusal counts. None at all refuses everyone.
    case composite([ServerTrustPolicy])

    /// Accepts every server, and with it every attacker.
    case disableEvaluation

    /// Accepts if the closure returns true. It runs inside the handshake, on the connection's thread, even where the
    /// chain is judged on another one for taking long: it must not block. Other policies' `evaluate` may be called from
    /// it. Beside a policy that asks about revocation it is asked again when more is known, and its last word counts.
    case customEvaluation(@Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool)
}

extension ServerTrustPolicy {
    /// The pin sets that have a say.
    package var pinSets: [PinSet] {
        switch self {
        case .pinSet(let set): [set]
        case .composite(let policies): policies.flatMap(\.pinSets)
        case .performDefaultEvaluation, .performRevokedEvaluation, .pinCertificates, .pinPublicKeys, .disableEvaluation,
            .customEvaluation:
            []
        }
    }

    /// Whether revocation plays a part in the verdict.
    var asksForRevocation: Bool {
        switch self {
        case .performRevokedEvaluation: true
        case .composite(let policies): policies.contains(where: \.asksForRevocation)
        case .performDefaultEvaluation, .pinCertificates, .pinPublicKeys, .pinSet, .disableEvaluation,
            .customEvaluation:
            false
        }
    }
}

extension ServerTrustPolicy: CustomStringConvertible {
    public var description: String {
        switch self {
        case .performDefaultEvaluation(let host): Self.name("default evaluation", chain: true, host: host)
        case .performRevokedEvaluation(let host, _): Self.name("revocation evaluation", chain: true, host: host)
        case .pinCertificates(_, let chain, let host): Self.name("pin certificates", chain: chain, host: host)
        case .pinPublicKeys(_, let chain, let host): Self.name("pin public keys", chain: chain, host: host)
        case .pinSet(let set): set.description
        case .composite(let policies): "all of: " + policies.map(\.description).joined(separator: "; ")
        case .disableEvaluation: "evaluation disabled"
        case .customEvaluation: "custom evaluation"
        }
    }

    private static func name(_ rule: String, chain: Bool, host: Bool) -> String {
        guard chain else { return rule + ", neither chain nor host validated" }
        return rule + (host ? ", chain and host validated" : ", chain validated, host not")
    }
}
