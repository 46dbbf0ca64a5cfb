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

    /// What an evaluation finds.
    struct Findings: Sendable {
        /// The chain that the policy established; empty if it established none.
        var chain: [X509Certificate] = []
        /// Whether that chain was validated, not only its signatures.
        var isValidated = false
        var failure: TrustFailure?
        var waived: [TrustFailure] = []
        /// Whether the policy accepts without pins, because they have expired.
        var hasExpiredPins = false
        var revocation: [RevocationFinding] = []
        var transparency: TransparencyVerdict?
        /// The verdicts of policies that are rehearsed beside the one that decides.
        var rehearsals: [ServerTrustResult] = []

        /// Accepts what is refused, and keeps the reason.
        mutating func waive() {
            if let failure = failure.take() { waived.append(failure) }
        }
    }

    /// The host that the server was evaluated for.
    public let host: String
    /// The certificates as the server sent them; they are not verified.
    public let sentChain: [X509Certificate]
    /// All the certificates that were fetched for the server.
    let fetched: [FetchedIssuer]
    /// The time of the evaluation, in seconds since 1970-01-01T00:00:00Z.
    public let time: Int64
    /// As in ``ServerTrust``.
    let isBetweenSeconds: Bool
    /// The policy's description, for example `pin public keys, chain and host validated`.
    public let policy: String
    /// The verdict of the policies if a delegate decided otherwise; nil if theirs was kept.
    public let policyVerdict: ServerTrustResult?
    private let outcome: Findings

    init(_ findings: Findings, about trust: ServerTrust, host: String, policy: String) {
        (outcome, self.host, self.policy) = (findings, host, policy)
        (sentChain, fetched) = (trust.sentChain, trust.fetchedIssuers)
        (time, isBetweenSeconds, policyVerdict) = (trust.time, trust.isBetweenSeconds, nil)
    }

    private init(_ failure: TrustFailure?, inPlaceOf verdict: ServerTrustResult) {
        var outcome = verdict.outcome
        outcome.failure = failure
        self.outcome = outcome
        (host, policy, sentChain, fetched) = (verdict.host, verdict.policy, verdict.sentChain, verdict.fetched)
        (time, isBetweenSeconds, policyVerdict) = (verdict.time, verdict.isBetweenSeconds, verdict)
    }

    /// The verdict after a delegate has answered.
    func answered(_ disposition: ServerTrustAnswer) -> ServerTrustResult {
        switch (disposition, verdict) {
        case (.performDefaultHandling, _), (.accept, .accepted), (.refuse, .refused): return self
        case (.accept, .refused): return ServerTrustResult(nil, inPlaceOf: self)
        case (.refuse, .accepted):
            let seen = verifiedChain.isEmpty ? sentChain : verifiedChain
            return ServerTrustResult(TrustFailure(.delegate, host: host, seen: seen), inPlaceOf: self)
        }
    }

    /// The decision, and the reason of a refusal.
    public var verdict: Verdict { failure.map { .refused($0) } ?? .accepted }

    /// The chain that the policy established, leaf to anchor, and the only one its pins were compared with. For a
    /// policy that does not validate chains, the part of it whose signatures are valid; empty if the chain was refused,
    /// or if the policy established none.
    public var verifiedChain: [X509Certificate] { outcome.chain }

    /// Whether `verifiedChain` was validated in full: dates, authorities, purpose and anchor. If not, only its
    /// signatures are known to be valid.
    public var isChainValidated: Bool { outcome.isValidated }

    /// The failures that policies that only report have accepted.
    public var waivedFailures: [TrustFailure] { outcome.waived }

    /// The first of ``waivedFailures``.
    public var waived: TrustFailure? { outcome.waived.first }

    /// Whether the server was accepted by a pin set that has expired, and whose pins are therefore ignored.
    public var hasExpiredPins: Bool { outcome.hasExpiredPins }

    /// The revocation status of each certificate below the anchor; empty if the policy does not check it. Of a leaf that
    /// requires a stapled response, the status by that, where nothing else is checked.
    public var revocation: [RevocationFinding] { outcome.revocation }

    /// The timestamps of logs, and whether they suffice; nil if the policy does not check them.
    public var transparency: TransparencyVerdict? { outcome.transparency }

    /// The verdicts of the policies that are rehearsed beside the one that decides.
    public var rehearsals: [ServerTrustResult] { outcome.rehearsals }

    /// The first verdict of ``rehearsals`` that is a refusal, or else the first; nil if none is rehearsed.
    public var rehearsed: ServerTrustResult? { rehearsals.first { !$0.isAccepted } ?? rehearsals.first }

    /// Whether the server is accepted.
    public var isAccepted: Bool { failure == nil }

    /// The failure of a refused server.
    public var failure: TrustFailure? { outcome.failure }

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
