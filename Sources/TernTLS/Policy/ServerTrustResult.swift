// SPDX-License-Identifier: Apache-2.0

/// A verdict with its reasons. It is immutable, and shared by its connection and the sessions that resume it.
public final class ServerTrustResult: Sendable {
    /// Whether the server is accepted.
    public enum Verdict: Sendable, Hashable {
        /// The server is accepted.
        case accepted
        /// The server is refused, for this reason.
        case refused(TrustFailure)
    }

    /// The decision, and the reason of a refusal.
    public let verdict: Verdict
    /// The host that the server was evaluated for.
    public let host: String
    /// The certificates as the server sent them; they are not verified.
    public let sentChain: [X509Certificate]
    /// All the certificates that were fetched for the server.
    let fetched: [FetchedIssuer]
    /// The chain that the policy established, leaf to anchor, and the only one its pins were compared with. For a
    /// policy that does not validate chains, the part of it whose signatures are valid; empty if the chain was refused,
    /// or if the policy established none.
    public let verifiedChain: [X509Certificate]
    /// Whether `verifiedChain` was validated in full: dates, authorities, purpose and anchor. If not, only its
    /// signatures are known to be valid.
    public let isChainValidated: Bool
    /// The failure that a policy that only reports has accepted.
    public let waived: TrustFailure?
    /// Whether the server was accepted by a pin set that has expired, and whose pins are therefore ignored.
    public let hasExpiredPins: Bool
    /// The revocation status of each certificate below the anchor; empty if the policy does not check it. Of a leaf that
    /// requires a stapled response, the status by that, where nothing else is checked.
    public let revocation: [RevocationFinding]
    /// The timestamps of logs, and whether they suffice; nil if the policy does not check them.
    public let transparency: TransparencyVerdict?
    /// The verdict of a policy that is rehearsed beside the one that decides; nil if none is.
    public let rehearsed: ServerTrustResult?
    /// The verdict of the policies if a delegate decided otherwise; nil if theirs was kept.
    public let policyVerdict: ServerTrustResult?
    /// The time of the evaluation, in seconds since 1970-01-01T00:00:00Z.
    public let time: Int64
    /// As in ``ServerTrust``.
    let isBetweenSeconds: Bool
    /// The policy's description, for example `pin public keys, chain and host validated`.
    public let policy: String

    init(
        verdict: Verdict, host: String, sentChain: [X509Certificate], fetched: [FetchedIssuer] = [],
        verifiedChain: [X509Certificate], isChainValidated: Bool,
        waived: TrustFailure?, hasExpiredPins: Bool = false, revocation: [RevocationFinding],
        transparency: TransparencyVerdict? = nil, rehearsed: ServerTrustResult? = nil, time: Int64,
        isBetweenSeconds: Bool = false, policy: String,
        policyVerdict: ServerTrustResult? = nil
    ) {
        self.verdict = verdict
        self.host = host
        self.sentChain = sentChain
        self.fetched = fetched
        self.verifiedChain = verifiedChain
        self.isChainValidated = isChainValidated
        self.waived = waived
        self.hasExpiredPins = hasExpiredPins
        self.revocation = revocation
        self.transparency = transparency
        self.rehearsed = rehearsed
        self.time = time
        self.isBetweenSeconds = isBetweenSeconds
        self.policy = policy
        self.policyVerdict = policyVerdict
    }

    /// The verdict after a delegate has answered.
    func answered(_ disposition: ServerTrustAnswer) -> ServerTrustResult {
        switch (disposition, verdict) {
        case (.performDefaultHandling, _), (.accept, .accepted), (.refuse, .refused): self
        case (.accept, .refused): replaced(.accepted)
        case (.refuse, .accepted):
            replaced(
                .refused(TrustFailure(.delegate, host: host, seen: verifiedChain.isEmpty ? sentChain : verifiedChain)))
        }
    }

    private func replaced(_ verdict: Verdict) -> ServerTrustResult {
        ServerTrustResult(
            verdict: verdict, host: host, sentChain: sentChain, fetched: fetched, verifiedChain: verifiedChain,
            isChainValidated: isChainValidated, waived: waived, hasExpiredPins: hasExpiredPins, revocation: revocation,
            transparency: transparency, rehearsed: rehearsed, time: time, isBetweenSeconds: isBetweenSeconds,
            policy: policy, policyVerdict: self)
    }

    /// Whether the server is accepted.
    public var isAccepted: Bool { verdict == .accepted }

    /// The failure of a refused server.
    public var failure: TrustFailure? {
        switch verdict {
        case .accepted: nil
        case .refused(let failure): failure
        }
    }

    /// Why the policies refused a server that a delegate accepted.
    public var overridden: TrustFailure? { isAccepted ? policyVerdict?.failure : nil }

    /// The certificates of `verifiedChain` below its anchor that the server did not send, and that were fetched, see
    /// ``TLSSettings/fetchesMissingIssuers``. Clients that fetch none refuse such a server: its operator should append
    /// them to the certificates that it sends.
    public var fetchedIssuers: [FetchedIssuer] {
        if fetched.isEmpty { return [] }
        // An anchor need not be sent.
        let path = isChainValidated ? verifiedChain.dropLast() : verifiedChain[...]
        return fetched.filter { path.contains($0.certificate) }
    }

    /// The keys of `verifiedChain`, leaf first.
    public var verifiedKeys: [X509Certificate.PublicKey] { verifiedChain.map(\.publicKey) }

    /// The deciding rule, as a stable word for programs: that of the failure, `accepted`, `accepted-by-delegate` if a
    /// delegate overrode a refusal, `accepted-unpinned` if a mismatch was only reported, `accepted-unlogged` if missing
    /// timestamps of logs were, or `accepted-expired-pins` if the pins have expired.
    public var rule: String {
        if let failure { return failure.rule }
        if overridden != nil { return "accepted-by-delegate" }
        if case .certificateTransparency? = waived?.reason { return "accepted-unlogged" }
        if waived != nil { return "accepted-unpinned" }
        return hasExpiredPins ? "accepted-expired-pins" : "accepted"
    }

    /// The decision as one line without a full stop.
    public var sentence: String {
        if let failure { return failure.sentence }
        if let overridden { return overridden.sentence + ", but a delegate accepted the server" }
        if let waived { return waived.sentence + ", which is only reported" }
        return hasExpiredPins ? "the pins have expired and are ignored: " + policy : policy
    }
}

/// A delegate's answer to the verdict of the policies about a server.
public enum ServerTrustAnswer: Sendable, Hashable {
    /// Keep the verdict of the policies.
    case performDefaultHandling
    /// Accept the server even if the policies refused it. A connection that the session's delegate has accepted so
    /// carries further requests, one that a task's has accepted only that of the task; the TLS session is not kept.
    case accept
    /// Refuse the server even if the policies accepted it.
    case refuse
}
