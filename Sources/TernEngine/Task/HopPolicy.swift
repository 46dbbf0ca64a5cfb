// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One rule of what happens between the hops of a task: it prepares a hop before the hop is sent, learns from the head
/// of each final response and from each failure, and decides what follows from one of them.
///
/// The task calls a policy on its reactor's thread, in the middle of a change of its own state. A policy therefore
/// computes and returns: it does not block, calls no user code and does not touch the task. What takes longer goes into
/// a ``HopLookup``, which may call user code; a decision that depends on user code is `.call`, which the task calls when
/// nothing of it is half changed.
///
/// ``HopPolicies`` holds the policies of a session in their order.
protocol HopPolicy: Sendable {
    /// Which of the methods below the task calls.
    var interests: HopInterests { get }

    /// Prepares a hop before it is sent for the first time, and where a response has it sent again. The request is the
    /// one that the program, a redirect or an answer made, and what policies before this one have added: nothing of an
    /// earlier preparation is in it.
    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation

    /// Prepares a hop that goes to the network, after the response source, if there is one, has passed it on: for what a hop
    /// that is answered without it does not need, such as a fresh credential. After a change the source is asked again. A
    /// policy that fails the hop is treated as an attempt that failed: a stored response may answer.
    func depart(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation

    /// Learns from the head of a final response. The task calls it for every policy, in order, before one decides.
    func learn(_ head: ResponseHead, _ history: inout TaskHistory)

    /// Decides what follows from the head of a final response. The first policy that does not pass decides, so the
    /// policies after it are not asked.
    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision

    /// Learns from a hop that has no response, before the response source may answer in place of it. The task calls it for
    /// every policy, in order, before one decides.
    func learn(_ failure: AttemptFailure, _ history: inout TaskHistory)

    /// Decides whether a redirect is followed that a response provider has reported. The first policy that does not pass
    /// decides.
    func decide(onRedirectTo request: URLRequest, _ history: inout TaskHistory) -> HopDecision

    /// Decides what follows from a hop that has no response. The first policy that does not pass decides.
    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery
}

extension HopPolicy {
    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation { .ready }

    func depart(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation { .ready }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {}

    func learn(_ failure: AttemptFailure, _ history: inout TaskHistory) {}

    func decide(onRedirectTo request: URLRequest, _ history: inout TaskHistory) -> HopDecision { .pass }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision { .pass }

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery { .pass }
}

/// What a policy takes part in. A plain request whose session has no policy with an interest in it pays nothing.
struct HopInterests: OptionSet, Sendable {
    let rawValue: UInt8

    /// `prepare` is called. It does not read the fields that the session adds to hops: they may be added later.
    static let addition = HopInterests(rawValue: 1)
    /// `prepare` is called for hops that have the session's fields.
    static let preparation = HopInterests(rawValue: 17)
    /// `learn` and `decide` are called for heads with a status of 300 or more.
    static let unsuccessfulHeads = HopInterests(rawValue: 2)
    /// `learn` and `decide` are called for all final heads.
    static let allHeads = HopInterests(rawValue: 6)
    /// `learn` and `decide` are called for failures.
    static let failures = HopInterests(rawValue: 8)
    /// `depart` is called.
    static let departure = HopInterests(rawValue: 32)
}

/// A policy's decision about a hop before it is sent.
enum HopPreparation: Sendable {
    /// The hop is sent as it is.
    case ready
    /// This is sent instead. Afterwards the policy remembers this, if it is not nil.
    case change(URLRequest, remembering: (any PolicyMemory)? = nil)
    /// The hop is sent as it is; what authenticates it, and is added when it departs, is a credential of this identity.
    case identify(String, remembering: any PolicyMemory)
    /// The policy must look something up first.
    case lookUp(HopLookup)
    /// The task fails.
    case fail(SessionError.Reason)
}

/// Starts a lookup on the reactor's thread, without blocking it, and calls its argument once, on any thread. The task
/// waits for that call until its total timeout is over.
///
/// Returns the cancellation of the lookup, which the task calls once, on the reactor's thread, when its wait is over: it
/// may come after the completion, or instead of it. The lookup releases the completion then.
typealias HopLookup =
    @Sendable (_ completion: @escaping @Sendable (HopPreparation) -> Void) -> @Sendable () -> Void

/// A policy's decision about the head of a final response.
enum HopDecision {
    /// The response is the answer, unless a later policy decides otherwise.
    case pass
    /// What this returns, which calls user code.
    case call(@Sendable () -> HopDecision)
    /// The response is discarded, and this request is the next hop: a policy has answered a challenge.
    case next(URLRequest)
    /// The response is discarded, and the hop is sent again with this request, after this delay.
    case resend(URLRequest, after: Duration = .zero)
    /// The delegate decides.
    case ask(HopProposal)
    /// The task fails.
    case fail(SessionError.Reason)
}

/// A policy's decision about a failure.
enum HopRecovery {
    /// The task fails, unless a later policy decides otherwise.
    case pass
    /// This request is the next hop, after this delay. The session adds none of its secrets for another origin; the
    /// policy leaves out those of the request. The task fails if the content can be read only once and has been read.
    case next(URLRequest, after: Duration = .zero)
    /// The delegate decides whether the hop is sent again. Its content can be.
    case retry(RetryMetrics)
    /// The hop is sent again as it was prepared when this lookup is ready; the delegate is called for the first wait.
    case wait(until: HopLookup, isFirst: Bool)
    /// The task fails with this error.
    case fail(SessionError.Reason)
}

/// A question for the delegate.
enum HopProposal {
    /// To send this as the next hop.
    case redirect(RedirectRule.Redirection)
    /// To send the request again with credentials.
    case challenge(ChallengeProposal)
    /// To send the hop again. Its content can be.
    case retry(RetryMetrics)
}

/// A question for credentials.
struct ChallengeProposal: Sendable {
    /// The space of the challenge.
    let space: ProtectionSpace
    /// What the session's storage has for it, and the task has not tried.
    let proposedCredential: Credential?
    /// How often credentials were sent to the same origin before.
    let previousFailureCount: Int
    /// Forms the next hop from the answer; nil if the response is the answer.
    let request: @Sendable (ChallengeAnswer, inout TaskHistory) -> URLRequest?
}

/// What one policy remembers of one task, from its first use: `history[Memory.self]`. A policy declares it as a private
/// type, so that no other policy reads it.
protocol PolicyMemory: Sendable {
    init()
}

/// Counts what happens since the last redirect or retry of a task. Both have limits of their own, which bound the sum.
struct RecentCount: Sendable {
    private var count = 0
    private var redirectCount = 0
    private var retryCount = 0

    func value(_ history: borrowing TaskHistory) -> Int {
        redirectCount == history.chain.count && retryCount == history.retryCount.retries ? count : 0
    }

    mutating func increment(_ history: borrowing TaskHistory) {
        (count, redirectCount, retryCount) = (value(history) + 1, history.chain.count, history.retryCount.retries)
    }
}

/// The policy that plans retries: what it refuses goes to the response sources.
protocol RetryPlanner: HopPolicy {
    /// Counts requests to servers that are in trouble.
    var budget: RetryBudget { get }

    /// Counts a retry of this request. False if others have used the budget up meanwhile.
    func spend(on request: URLRequest, at now: MonotonicInstant) -> Bool
}

/// What the tasks of a session ask about their hops: policies in the order in which tasks call them, grouped by what they
/// take part in, and the response sources. An object, so that each task holds one reference to it.
///
/// For the head of a response the policies come first, in their order: they may have the hop sent again, so that the
/// response is none to it. Then the response source, and then the policies that follow: they decide what comes after a
/// hop that is answered.
final class HopPolicies: Sendable {
    let preparing: [any HopPolicy]
    let departing: [any HopPolicy]
    let reading: [any HopPolicy]
    /// Those of them that inspect the heads of successful responses, too.
    let readingAll: [any HopPolicy]
    /// The policies that decide after the source.
    let following: [any HopPolicy]
    let recovering: [any HopPolicy]
    /// The response sources in front of the network, as one; nil for the network alone.
    var source: (any ResponseSource)? { RegisteredProvider.exists ? allSources : usualSources }
    private let allSources: (any ResponseSource)?
    /// Those that are asked while nothing is registered for the whole process.
    private let usualSources: (any ResponseSource)?
    private let actsAlways: Bool
    /// Whether heads of successful responses are of interest to any of them.
    let readsSuccess: Bool
    let retryPolicy: RetryPolicy
    /// Whether it has second attempts made.
    let hedges: Bool
    /// The one of the policies that plans retries; nil for none.
    let retries: (any RetryPlanner)?
    /// Counts requests to servers that are in trouble; nil without retries.
    let budget: RetryBudget?
    /// What second attempts go by.
    let responseTimes = ResponseTimes()
    /// Holds attempts to servers back that are in trouble; nil for none.
    let circuits: Circuits?

    init(
        _ policies: [any HopPolicy], following: [any HopPolicy] = [], sources: [any ResponseSource] = [],
        retryPolicy: RetryPolicy = .lostConnections, circuits: Circuits? = nil
    ) {
        preparing = policies.filter { $0.interests.contains(.addition) }
        departing = policies.filter { $0.interests.contains(.departure) }
        reading = policies.filter { $0.interests.contains(.unsuccessfulHeads) }
        readingAll = reading.filter { $0.interests.contains(.allHeads) }
        self.following = following
        recovering = policies.filter { $0.interests.contains(.failures) }
        let usual = sources.filter(\.isAskedAlways)
        allSources = sources.count > 1 ? SourceChain(sources: sources) : sources.first
        usualSources = usual.count > 1 ? SourceChain(sources: usual) : usual.first
        actsAlways = !usual.isEmpty || !departing.isEmpty
        readsSuccess = !readingAll.isEmpty
        self.retryPolicy = retryPolicy
        hedges = retryPolicy.hedging != nil
        retries = policies.lazy.compactMap { $0 as? any RetryPlanner }.first
        budget = retries?.budget
        self.circuits = circuits
    }

    /// Whether anything happens between the preparation of a hop and its attempt: asked for every request.
    var actsOnDeparture: Bool { actsAlways || RegisteredProvider.exists }

    /// The same, for tasks whose hops are not answered.
    init(withoutSource other: HopPolicies) {
        (preparing, departing, recovering) = (other.preparing, [], other.recovering)
        (reading, readingAll, following) = (other.reading, other.readingAll, other.following)
        (allSources, usualSources, actsAlways, readsSuccess) = (nil, nil, false, other.readsSuccess)
        (retryPolicy, hedges, circuits) = (other.retryPolicy, false, nil)
        (retries, budget) = (other.retries, other.budget)
    }
}
