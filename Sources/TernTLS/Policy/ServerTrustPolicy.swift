// SPDX-License-Identifier: Apache-2.0

/// How a server is evaluated: Alamofire 4's cases with Alamofire 4's meaning, on OpenSSL.
///
/// Validating a chain always covers signatures, the dates of every certificate, authority flags, name constraints, key
/// strengths and the purpose "TLS server". `validateHost` adds the name. `validateCertificateChain: false` skips
/// everything except the pins, the host included.
public enum ServerTrustPolicy: Sendable, Hashable {
    /// The chain must end in one of the trust's anchors.
    case performDefaultEvaluation(validateHost: Bool)

    /// Like the default, and none of the chain's certificates below the anchor may be revoked. A certificate without a
    /// known status is accepted, unless the flags require a positive response.
    ///
    /// In a handshake the server is asked for a stapled OCSP response, and missing data is fetched before a request is
    /// sent, unless the flags forbid it. Offline, `ServerTrust.revocation` is the only source.
    case performRevokedEvaluation(validateHost: Bool, revocationFlags: RevocationFlags)

    /// The pinned certificates are the only anchors: leaf, intermediate and root each work as a pin, and the system's
    /// roots are ignored.
    ///
    /// Without validation of the chain, a pinned certificate must be part of the path whose signatures are valid. Only
    /// a pinned leaf is safe then: an authority issues certificates for every host.
    case pinCertificates(certificates: [X509Certificate], validateCertificateChain: Bool, validateHost: Bool)

    /// The chain must end in one of the trust's anchors, and one of the pinned keys must be in the *verified* chain,
    /// whatever else the server sent. Keys that do not occur (backups) do no harm; an empty list refuses every server.
    ///
    /// Without validation of the chain, the rule is that of certificates.
    case pinPublicKeys(publicKeys: [X509Certificate.PublicKey], validateCertificateChain: Bool, validateHost: Bool)

    /// Chain and host are validated as by default, unless the set says otherwise, and one of the set's keys must be in the
    /// verified chain, unless the set is expired or only reports.
    case pinSet(PinSet)

    /// Chain and host are validated as by default, and logs must have promised to publish the certificate (RFC 6962).
    /// In a handshake the server is asked for timestamps and for a stapled OCSP response, which may have some.
    case certificateTransparency(TransparencyPolicy)

    /// The server's certificate must name one of the policy's workloads by its SPIFFE ID, and its chain must end in the
    /// authorities of that workload's trust domain. The host is not compared with the certificate.
    case spiffe(SPIFFEPolicy)

    /// All of them must accept; the first refusal decides. An empty list refuses every server.
    case composite([ServerTrustPolicy])

    /// The policy, with rules of its own: what they say takes the place of what the session says, and they refuse, besides.
    indirect case applying(TrustRules, to: ServerTrustPolicy)

    /// The policy `enforcing` decides alone. The other is evaluated beside it, for the same certificates, and its verdict
    /// is ``ServerTrustResult/rehearsed``: what will change when it takes effect. It asks no responders, fetches no lists,
    /// and refuses nothing. ``TrustRehearsal`` does this for all hosts.
    indirect case rehearsal(of: ServerTrustPolicy, enforcing: ServerTrustPolicy)

    /// Accepts every server, and therefore every attacker.
    case disableEvaluation

    /// Accepts if the closure returns true. The closure runs inside the handshake, on the connection's thread, even if
    /// the chain is evaluated on another thread: it must not block. It may call `evaluate` of other policies. Beside a
    /// policy that checks revocation it is called again when more is known, and its last answer counts.
    case customEvaluation(CustomEvaluation)

    /// The same with a closure, as in Alamofire 4.
    public static func customEvaluation(
        _ accepts: @escaping @Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool
    ) -> ServerTrustPolicy {
        .customEvaluation(CustomEvaluation(accepts))
    }
}

/// A closure that decides about servers. Closures cannot be compared, so each object is equal to itself alone.
public final class CustomEvaluation: Sendable, Hashable {
    private let accepts: @Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool

    /// - Parameter accepts: returns whether the server is accepted.
    public init(_ accepts: @escaping @Sendable (_ serverTrust: ServerTrust, _ host: String) -> Bool) {
        self.accepts = accepts
    }

    /// Whether the server is accepted.
    public func callAsFunction(_ serverTrust: ServerTrust, _ host: String) -> Bool { accepts(serverTrust, host) }

    public static func == (left: CustomEvaluation, right: CustomEvaluation) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ServerTrustPolicy {
    /// A policy that refuses nothing but what the default evaluation refuses: chain and host are validated, and the verdict
    /// of `policy` is only told, by ``ServerTrustResult/rehearsals``.
    public static func reportOnly(_ policy: ServerTrustPolicy) -> ServerTrustPolicy {
        .rehearsal(of: policy, enforcing: .performDefaultEvaluation(validateHost: true))
    }

    /// The policies that it combines, and that decide with it.
    package var children: [ServerTrustPolicy] {
        switch self {
        case .composite(let policies): policies
        case .rehearsal(_, let enforced): [enforced]
        case .applying(_, let policy): [policy]
        case .performDefaultEvaluation, .performRevokedEvaluation, .pinCertificates, .pinPublicKeys, .pinSet,
            .certificateTransparency, .spiffe, .disableEvaluation, .customEvaluation:
            []
        }
    }

    /// The policies that are evaluated beside it and decide nothing.
    private var rehearsed: [ServerTrustPolicy] {
        let own = if case .rehearsal(let next, _) = self { [next] } else { [ServerTrustPolicy]() }
        return children.isEmpty ? own : own + children.flatMap(\.rehearsed)
    }

    /// The policy and all that decide with it.
    private var deciding: [ServerTrustPolicy] { [self] + children.flatMap(\.deciding) }

    /// Whether this is true for the policy or one that decides with it.
    private func contains(_ test: (ServerTrustPolicy) -> Bool) -> Bool {
        test(self) || children.contains { $0.contains(test) }
    }

    /// The pin sets that the policy applies.
    package var pinSets: [PinSet] { deciding.compactMap { if case .pinSet(let set) = $0 { set } else { nil } } }

    /// The pin sets that are only rehearsed.
    package var rehearsedPinSets: [PinSet] { rehearsed.flatMap(\.pinSets) }

    /// What the rules of the policy say of one thing; nil if they leave it to the session.
    func rules<Value>(_ path: KeyPath<TrustRules, Value?>) -> [Value] {
        if children.isEmpty { return [] }
        return deciding.compactMap { if case .applying(let rules, _) = $0 { rules[keyPath: path] } else { nil } }
    }

    /// Whether a leaf that requires a stapled response is refused without one; nil if the session decides.
    var enforcesMustStaple: Bool? {
        let all = rules(\.enforcesMustStaple)
        return all.isEmpty ? nil : all.contains(true)
    }

    /// Whether missing issuers are fetched; nil if the session decides.
    var fetchesMissingIssuers: Bool? {
        let all = rules(\.fetchesMissingIssuers)
        return all.isEmpty ? nil : !all.contains(false)
    }

    /// Whether the verdict depends on a stapled response.
    var asksForStaple: Bool {
        asks { policy in
            switch policy {
            case .performRevokedEvaluation, .certificateTransparency: true
            case .applying(let rules, _): rules.enforcesMustStaple == true
            default: false
            }
        }
    }

    /// Whether the verdict depends on timestamps of logs.
    package var asksForTimestamps: Bool { asks { if case .certificateTransparency = $0 { true } else { false } } }

    /// Whether this is true for one of the policies that are evaluated.
    private func asks(_ test: (ServerTrustPolicy) -> Bool) -> Bool {
        contains(test) || rehearsed.contains { $0.contains(test) }
    }

    /// Whether a verdict may change though its chain is still valid: closures may answer differently, a composite may have
    /// more chains than the reported one, and rules have dates.
    var isReevaluated: Bool {
        contains { policy in
            switch policy {
            case .customEvaluation, .composite: true
            case .applying(let rules, _): rules.haveDates
            default: false
            }
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
        case .certificateTransparency(let policy): policy.description
        case .spiffe(let policy): policy.description
        case .composite(let policies): "all of: " + policies.map(\.description).joined(separator: "; ")
        case .rehearsal(_, let enforced): enforced.description
        case .applying(_, let policy): policy.description
        case .disableEvaluation: "evaluation disabled"
        case .customEvaluation: "custom evaluation"
        }
    }

    private static func name(_ rule: String, chain: Bool, host: Bool) -> String {
        guard chain else { return rule + ", neither chain nor host validated" }
        return rule + (host ? ", chain and host validated" : ", chain validated, host not")
    }
}

/// The certificates of a server and all other input of an evaluation, so that the same value has the same verdict in a
/// handshake, in a test and before a rollout.
public struct ServerTrust: Sendable {
    /// The certificates as the server sent them, its own first. Nothing in this list is verified.
    public var sentChain: [X509Certificate]
    /// The certificates that chains must end in, unless the policy has its own anchors.
    public var anchors: TrustAnchors
    /// The time of the evaluation, in seconds since 1970-01-01T00:00:00Z. Setting it sets ``isBetweenSeconds`` to false.
    public var time: Int64 {
        didSet { isBetweenSeconds = false }
    }
    /// Whether the moment is after ``time``, by less than a second. A certificate is valid up to the last second that it
    /// names, that moment included (RFC 5280 §4.1.2.5), and no fraction longer; so it is in a connection, where the
    /// moment is nearly always between two seconds.
    public var isBetweenSeconds: Bool
    /// The rules for chains, where the policy validates them.
    public var profile: TrustProfile
    /// The maximum number of certificates between the server's own and its anchor, where the policy validates chains. Nil
    /// is ten, and so is whatever is above; the server's certificate must be issued by an anchor, or be one, for zero
    /// and whatever is below.
    public var maximumPathDepth: Int?
    /// The revocation data, for a policy that checks revocation.
    public var revocation = RevocationData()
    /// Certificates that a chain must not have, where the policy validates it.
    public var distrustedCertificates = DistrustedCertificates.none
    /// The signed certificate timestamps of the server's handshake (RFC 6962 §3.3), each serialised, for a policy of
    /// Certificate Transparency. Those of the certificate and of the stapled response are not repeated here.
    public var handshakeTimestamps: [[UInt8]] = []
    /// The logs of certificates, for a policy of Certificate Transparency that has no list of its own.
    public var transparencyLogs: TransparencyLogList?
    /// The authorities of trust domains, for a policy of workloads that has no bundle of its own for one.
    public var spiffeBundles: [SPIFFEID.TrustDomain: SPIFFEBundle] = [:]
    /// Certificates that the server did not send and that may help to build a chain. Like those in `sentChain`, none of
    /// them is verified or trusted.
    public var fetchedIssuers: [FetchedIssuer] = []
    /// Whether a leaf that requires a stapled response (RFC 7633) is refused without a good one in `revocation`, by each
    /// policy that validates the chain.
    public var enforcesMustStaple = false
    /// The protocol version of the connection, for rules that have a minimum; nil for none, which passes.
    public var protocolVersion: TLSProtocolVersion?

    /// Creates a trust for the moment `time`; nil is now.
    public init(
        sentChain: [X509Certificate], anchors: TrustAnchors = .system, time: Int64? = nil,
        profile: TrustProfile = .standard, maximumPathDepth: Int? = nil
    ) {
        self.sentChain = sentChain
        self.anchors = anchors
        self.time = time ?? Timestamp.now
        isBetweenSeconds = time == nil
        self.profile = profile
        self.maximumPathDepth = maximumPathDepth
    }

    /// Sets the time to now.
    mutating func setNow() {
        time = Timestamp.now
        isBetweenSeconds = true
    }

    var rules: ChainRules { ChainRules(profile: profile, maximumPathDepth: maximumPathDepth) }

    /// The same server under these rules.
    func applying(_ rules: TrustRules) -> ServerTrust {
        var trust = self
        trust.anchors = rules.anchors ?? anchors
        trust.profile = rules.profile ?? profile
        trust.maximumPathDepth = rules.maximumPathDepth ?? maximumPathDepth
        return trust
    }

    /// The same server, evaluated by the manager's rules for chains, where it has some.
    package func with(_ manager: ServerTrustPolicyManager) -> ServerTrust {
        var trust = self
        trust.profile = manager.profile ?? profile
        trust.maximumPathDepth = manager.maximumPathDepth ?? maximumPathDepth
        return trust
    }
}
