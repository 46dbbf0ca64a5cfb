// SPDX-License-Identifier: Apache-2.0

/// A verdict that explains itself. It never changes, and is shared by its connection and the sessions that resume it.
public final class ServerTrustResult: Sendable {
    /// Whether to talk to the server.
    public enum Verdict: Sendable, Hashable {
        /// It is, as the policy would have it.
        case accepted
        /// It is not, for this reason.
        case refused(TrustFailure)
    }

    /// The decision, and with a refusal its reason.
    public let verdict: Verdict
    /// The host the server was evaluated for.
    public let host: String
    /// The certificates as the server sent them; they prove nothing.
    public let sentChain: [X509Certificate]
    /// The chain the policy established, leaf to anchor, and the only one its pins were compared with. For a policy
    /// that does not validate chains, the part of it whose signatures hold; empty if the chain was refused, or if the
    /// policy established none.
    public let verifiedChain: [X509Certificate]
    /// Whether `verifiedChain` was validated in full, dates, authorities, purpose and anchor. If not, its signatures
    /// hold and nothing else is known.
    public let isChainValidated: Bool
    /// What a policy that only reports found wrong, and let through.
    public let waived: TrustFailure?
    /// Whether the server was accepted by a pin set that has expired, and whose pins therefore count no more.
    public let hasExpiredPins: Bool
    /// What is known about the revocation of each certificate below the anchor; empty if the policy does not ask.
    public let revocation: [RevocationFinding]
    /// The verdict of the policies, where a delegate decided otherwise; nil where theirs stands.
    public let policyVerdict: ServerTrustResult?
    /// The moment the server was evaluated for, in seconds since 1970-01-01T00:00:00Z.
    public let time: Int64
    /// The policy's name for people, such as `pin public keys, chain and host validated`.
    public let policy: String

    init(
        verdict: Verdict, host: String, sentChain: [X509Certificate], verifiedChain: [X509Certificate],
        isChainValidated: Bool,
        waived: TrustFailure?, hasExpiredPins: Bool = false, revocation: [RevocationFinding], time: Int64,
        policy: String, policyVerdict: ServerTrustResult? = nil
    ) {
        self.verdict = verdict
        self.host = host
        self.sentChain = sentChain
        self.verifiedChain = verifiedChain
        self.isChainValidated = isChainValidated
        self.waived = waived
        self.hasExpiredPins = hasExpiredPins
        self.revocation = revocation
        self.time = time
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
            verdict: verdict, host: host, sentChain: sentChain, verifiedChain: verifiedChain,
            isChainValidated: isChainValidated, waived: waived, hasExpiredPins: hasExpiredPins, revocation: revocation,
            time: time, policy: policy, policyVerdict: self)
    }

    /// Whether the server may be talked to.
    public var isAccepted: Bool { verdict == .accepted }

    /// The failure of a refused server.
    public var failure: TrustFailure? {
        switch verdict {
        case .accepted: nil
        case .refused(let failure): failure
        }
    }

    /// Why the policies refused a server that a delegate accepted all the same.
    public var overridden: TrustFailure? { isAccepted ? policyVerdict?.failure : nil }

    /// The keys of `verifiedChain`, leaf first.
    public var verifiedKeys: [X509Certificate.PublicKey] { verifiedChain.map(\.publicKey) }

    /// The rule that decided, as a stable word for programs: that of the failure, `accepted`, `accepted-by-delegate`
    /// where the policies refused, `accepted-unpinned` where a mismatch was let through, or `accepted-expired-pins`
    /// where there are pins that count no more.
    public var rule: String {
        if let failure { return failure.rule }
        if overridden != nil { return "accepted-by-delegate" }
        if waived != nil { return "accepted-unpinned" }
        return hasExpiredPins ? "accepted-expired-pins" : "accepted"
    }

    /// The decision in words, on one line and without a full stop.
    public var sentence: String {
        if let failure { return failure.sentence }
        if let overridden { return overridden.sentence + ", which a delegate has accepted" }
        if let waived { return waived.sentence + ", which is only reported" }
        return hasExpiredPins ? "the pins have expired and count no more: " + policy : policy
    }
}
