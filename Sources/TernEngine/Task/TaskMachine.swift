// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The progress of a task, from `resume()` to its end: the only place that plans its hops. The machine decides; the
/// task acts.
///
/// The meaning of a response is decided in two steps: the policies decide what follows from it, and for some of that
/// the delegate is asked, which may answer much later. Meanwhile the exchange may end or fail, which the machine then
/// remembers. Who is asked about an event, in this order; the first that has an answer decides, and where the delegate
/// refuses a retry, or the budget of others has been spent meanwhile, the next one is asked:
///
/// | event | who is asked |
/// |---|---|
/// | an attempt fails | the repeat on a dead connection ▸ policies, retries last ▸ the response source (a stale answer); before a wait for the network, too ▸ the failure |
/// | a head from the network | policies, retries last ▸ the response source (a stale answer, a copy) ▸ redirects ▸ the response |
/// | a head from a response source | redirects ▸ the response |
/// | a response source fails | that source ▸ the failure |
/// | the rest of a response that is not the answer fails, stalls or is long | what its head has decided |
///
/// Requests may hold user objects that run code when they are released. The machine releases none while it changes: it
/// keeps the requests of earlier hops until the task takes them.
struct TaskMachine: ~Copyable {
    /// A task may end from any of these: `finishing` and `completed` are exits of all. Rare values are indirect, so that
    /// the stage is one word.
    enum Stage {
        /// `resume()` has not reached the reactor. Exits: preparing, ending.
        case created
        /// The policies prepare the hop, and the response sources are asked: within one call, or between two of them.
        /// Exits: lookingUp, resolving, attempting, answering, ending.
        case preparing
        /// Something is looked up before this step. Exits: those of preparing.
        indirect case lookingUp(number: UInt64, before: Step)
        /// The task resolves the hop's route, for a response source. Exits: those of preparing.
        case resolving
        /// The next hop begins after a delay. Exit: preparing.
        case delayed
        /// The hop goes to the network, by as many attempts as it takes. No final head has arrived. Exits: all but created.
        case attempting
        /// A response source answers the hop. No final head has arrived. Exits: as for attempting.
        case answering
        /// A policy's decision about this head depends on code of the user, which is being called. Exits: as for
        /// attempting.
        indirect case deciding(ResponseHead, by: Int)
        /// The response is the answer. Exits: asking, ending.
        case delivering
        /// The delegate has not answered. Exits: delivering, discarding, delayed, preparing, ending.
        case asking(PendingQuestion)
        /// The response is not the answer. Up to this many bytes of its content are read so that the connection can be
        /// used again. Exits: what follows.
        indirect case discarding(left: Int, then: Continuation)
        /// The task ends. Exits: finishing, completed.
        case ending
        /// The task prepares its end, such as a file. Exit: completed.
        case finishing
        /// Exit: none.
        case completed
    }

    /// The steps that prepare a hop, in their order.
    enum Step {
        /// This policy prepares the hop.
        case policy(Int)
        /// The response sources are asked.
        case source
        /// This policy prepares a hop that the response sources have passed on.
        case departure(Int)
        /// The hop is sent.
        case attempt
    }

    /// What follows when the exchange of a response that is not the answer is over.
    enum Continuation {
        /// The hop is prepared: the next one, or the same one anew; after a delay, if there is one.
        case prepare(after: Duration)
        /// The hop is sent again as it was prepared.
        case attempt
        /// The response source is asked again.
        case ask
        /// This source answers the hop.
        indirect case answer(any CarrierSource)
    }

    /// The maximum number of bytes drained from a response that is not the answer, to reuse its connection.
    static let maximumDiscardedContent = 64 * 1024
    /// The longest time for which they are awaited.
    static let maximumDiscardTime = Duration.seconds(1)

    private var stage = Stage.created
    private(set) var history: TaskHistory
    /// Identifies the open question to the delegate's answers.
    private var questions = QuestionBook()
    /// What the response needs while it arrives; nil if that is nothing.
    private(set) var reception: Reception?
    /// The part of the response sources in the hop; nil if they have none.
    private(set) var source: (any HopSource)?
    /// That of the hop as it was sent before, or of the hop before; nil without one.
    private var earlier: EarlierSource? {
        get { rare.parts?.earlier }
        set { rare.set(newValue) { $0.earlier = $1 } }
    }
    /// The request of the hop before the source has added fields to it; nil if it has added none.
    private var plainRequest: URLRequest? {
        get { rare.parts?.plainRequest }
        set { rare.set(newValue) { $0.plainRequest = $1 } }
    }
    private let policies: HopPolicies
    private var lookupCount: UInt64 = 0
    private var previousRequests: [URLRequest] {
        get { rare.parts?.previousRequests ?? [] }
        set { rare.change { $0.previousRequests = newValue } }
    }
    private var rare = Rare<RareParts>()

    private struct RareParts: RareValue {
        var earlier: EarlierSource?
        var plainRequest: URLRequest?
        var previousRequests: [URLRequest] = []
    }

    /// - Parameter chain: the redirects that have led to the request already.
    @inline(__always)
    init(_ request: URLRequest, policies: HopPolicies, after chain: RedirectChain = RedirectChain()) {
        self.policies = policies
        history = TaskHistory(request, after: chain)
    }

    /// The next action. Large and rare values are indirect, so that the rest is cheap to return.
    enum Next {
        /// None, until an event occurs.
        case wait
        /// Make an attempt: find a connection for the hop and send it.
        case send
        /// Report in a later tick that an attempt has failed for this reason: a policy keeps the hop from the network.
        indirect case refuse(SessionError.Reason)
        /// Report the hop to `resolved`, for the response sources: with its route, if that is needed.
        case resolve(isRouteNeeded: Bool)
        /// Start a lookup, and report its result to `lookedUp` with this number.
        indirect case lookUp(HopLookup, number: UInt64)
        /// Likewise; the first time the delegate is called before.
        indirect case awaitNetwork(HopLookup, number: UInt64, isFirst: Bool)
        /// Call `delayEnded` after this delay.
        indirect case delay(Duration)
        /// Have the hop answered by this source.
        indirect case answer(any CarrierSource)
        /// Deliver the held parts of the response; the response may have ended meanwhile.
        indirect case deliver(PendingQuestion, isComplete: Bool)
        /// Act on the held head of the response, and then on what has come of it meanwhile.
        indirect case resume(HeadAnswer, PendingQuestion)
        /// Ask for new content; until the answer nothing is sent.
        case askContent
        /// Ask whether to send the hop again, which has failed.
        indirect case askRetry(RetryMetrics)
        /// The task is done.
        case complete
        /// Make another attempt: the connection of this one was dead.
        case `repeat`
        indirect case fail(SessionError.Reason, isSafeToRepeat: Bool)
        /// The same, for an attempt that has ended.
        indirect case failed(AttemptFailure, isSafeToRepeat: Bool)
    }

    /// The request that is sent now, or was sent last.
    var hop: Hop { history.hop }

    /// A response to the hop.
    @inline(__always)
    func response(_ head: ResponseHead) -> HTTPURLResponse { history.response(head) }

    /// The question that the delegate has not answered yet.
    var question: PendingQuestion? { if case .asking(let question) = stage { question } else { nil } }

    /// Whether the hop goes to the network, and no final head has come.
    var isAttempting: Bool { if case .attempting = stage { true } else { false } }

    var isAsking: Bool { if case .asking = stage { true } else { false } }

    /// Whether the response is the answer, and content is delivered as it arrives.
    var isDelivering: Bool { if case .delivering = stage { true } else { false } }

    /// Whether the exchange is over, and the task prepares its end.
    var isFinishing: Bool { if case .finishing = stage { true } else { false } }

    /// Whether the response is not the answer, and its rest is awaited.
    var isDiscarding: Bool { if case .discarding = stage { true } else { false } }
}

// The hop
extension TaskMachine {
    /// The task is started. False if it was before, or has ended.
    mutating func start() -> Bool {
        guard case .created = stage else { return false }
        stage = .preparing
        return true
    }

    /// The first hop is to be prepared.
    ///
    /// - Parameters:
    ///   - start: the task was started then.
    ///   - deadline: the task has no time after this.
    mutating func begin(
        since start: MonotonicInstant = MonotonicInstant(nanoseconds: 0), until deadline: MonotonicInstant? = nil
    ) -> Next {
        guard case .preparing = stage else { return .wait }
        history.begin(since: start, until: deadline)
        return prepare(from: .policy(0))
    }

    /// Goes through the steps from this one on, until one takes time or decides.
    private mutating func prepare(from first: Step) -> Next {
        stage = .preparing
        var step = first
        while true {
            switch step {
            case .policy(let index) where index < policies.preparing.count:
                let preparation = policies.preparing[index].prepare(history.hop, &history)
                step = .policy(index + 1)
                if let next = follow(preparation, before: step) { return next }
            case .policy:
                guard policies.actsOnDeparture else { return attempt() }
                step = .source
            case .source:
                keepSource()
                switch policies.source?.need(for: history.hop) {
                case nil, .nothing:
                    earlier?.end()
                    step = .departure(0)
                case .hop: return resolve(isRouteNeeded: false)
                case .route: return resolve(isRouteNeeded: true)
                }
            case .departure(let index) where index < policies.departing.count:
                let preparation = policies.departing[index].depart(history.hop, &history)
                if case .fail(let reason) = preparation {
                    (stage, history.responseSource) = (.attempting, .network)
                    return .refuse(reason)
                }
                step = isAnotherQuestion(preparation) ? .source : .departure(index + 1)
                if let next = follow(preparation, before: step) { return next }
            case .departure, .attempt: return attempt()
            }
        }
    }

    /// Whether a hop that departs with this preparation may have an answer that it had not before: if it has changed by
    /// more than a credential whose identity the source knows.
    private func isAnotherQuestion(_ preparation: HopPreparation) -> Bool {
        if case .change = preparation { history.credentialIdentity == nil } else { false }
    }

    /// The hop goes to the network, with what the source adds to it.
    private mutating func attempt() -> Next {
        if let source { add(source.additions) }
        (stage, history.responseSource) = (.attempting, .network)
        return .send
    }

    /// Nil if the next step follows.
    private mutating func follow(_ preparation: HopPreparation, before step: Step) -> Next? {
        switch preparation {
        case .ready: return nil
        case .change(let request, let memory):
            if let memory { history.remember(memory) }
            prepare(as: request)
            return nil
        case .identify(let identity, let memory):
            history.remember(memory)
            history.credentialIdentity = identity
            return nil
        case .lookUp(let lookup): return .lookUp(lookup, number: beginLookup(before: step))
        case .fail(let reason): return fail(reason)
        }
    }

    private mutating func prepare(as request: URLRequest) {
        if let previous = history.prepare(as: request) { previousRequests.append(previous) }
    }

    private mutating func fail(_ reason: SessionError.Reason) -> Next {
        stage = .ending
        return .fail(reason, isSafeToRepeat: !history.hasLeftEffect)
    }

    /// Waits for a lookup. Returns its number.
    private mutating func beginLookup(before step: Step) -> UInt64 {
        lookupCount &+= 1
        stage = .lookingUp(number: lookupCount, before: step)
        return lookupCount
    }

    /// Whether the machine waits for the lookup with this number.
    func awaits(lookup number: UInt64) -> Bool { if case .lookingUp(number, _) = stage { true } else { false } }

    /// A lookup has ended. Only the first result counts, and only while the machine waits for it.
    mutating func lookedUp(_ number: UInt64, _ preparation: HopPreparation) -> Next {
        guard case .lookingUp(number, let step) = stage else { return .wait }
        stage = .preparing
        if let next = follow(preparation, before: step) { return next }
        switch step {
        case .source: return askSource()
        case .departure: if isAnotherQuestion(preparation) { return prepare(from: .source) }
        case .policy, .attempt: break
        }
        return prepare(from: step)
    }

    /// The delay between two hops is over.
    mutating func delayEnded() -> Next {
        guard case .delayed = stage else { return .wait }
        return prepare(from: .policy(0))
    }

    /// The exchange is over, and this follows.
    private mutating func follow(_ continuation: Continuation) -> Next {
        switch continuation {
        case .prepare(after: let delay) where delay > .zero:
            stage = .delayed
            return .delay(delay)
        case .prepare: return prepare(from: .policy(0))
        case .attempt: return attempt()
        case .ask: return askSource()
        case .answer(let carrier): return answer(by: carrier)
        }
    }

    private mutating func move(
        to request: URLRequest, _ chain: RedirectChain, from question: PendingQuestion, hasContent: Bool = false
    ) -> Next {
        guard hasContent || request.isReplayable else {
            stage = .asking(question.asking(.content(request, chain)))
            return .askContent
        }
        if let response = question.response { history.append(response) }
        endSource()
        previousRequests += history.move(to: request, chain)
        return leave(question, then: .prepare(after: .zero))
    }

    /// Begins the next hop: the one before has no response.
    private mutating func move(to request: URLRequest, _ chain: RedirectChain, after delay: Duration) -> Next {
        endSource()
        previousRequests += history.move(to: request, chain)
        return follow(.prepare(after: delay))
    }

    /// Sends the hop again, with this request.
    private mutating func resend(
        _ request: URLRequest, after delay: Duration, from question: PendingQuestion, hasContent: Bool = false
    ) -> Next {
        guard hasContent || request.isReplayable else {
            stage = .asking(question.asking(.contentAgain(request, after: delay)))
            return .askContent
        }
        keepSource()
        previousRequests += history.restart(with: request)
        return leave(question, then: .prepare(after: delay))
    }

    /// The response of the question is not the answer.
    private mutating func leave(_ question: PendingQuestion, then continuation: Continuation) -> Next {
        if case .pending = question.ending {
            stage = .discarding(left: Self.maximumDiscardedContent, then: continuation)
            return .wait
        }
        if case .complete = question.ending { endReception(isComplete: true) } else { endReception(isComplete: false) }
        return follow(continuation)
    }

    /// The response is over, and is not the answer. No delegate is asked about the copy.
    private mutating func endReception(isComplete: Bool) {
        guard let question = reception.end(isComplete: isComplete) else { return }
        question.answer(question.proposal)
    }

    /// Returns the requests that are not needed any more, if there are many: for a caller that can release them.
    mutating func takePreviousRequests() -> [URLRequest] {
        guard previousRequests.count > RedirectPolicy.maximumRememberedHops else { return [] }
        defer { previousRequests = [] }
        return previousRequests
    }
}

// The response sources
extension TaskMachine {
    private mutating func resolve(isRouteNeeded: Bool) -> Next {
        stage = .resolving
        return .resolve(isRouteNeeded: isRouteNeeded)
    }

    /// The sources can be asked about the hop.
    ///
    /// - Parameter routeKey: what of the hop's route distinguishes responses; nil if the route was not needed.
    mutating func resolved(_ routeKey: [[UInt8]]?, of task: any AnyObject & Sendable) -> Next {
        guard case .resolving = stage else { return .wait }
        stage = .preparing
        if let source {
            source.resolved(routeKey ?? [])
        } else {
            source = policies.source?.part(
                in: SourcedHop(
                    hop: history.hop, request: history.request, chain: history.chain, routeKey: routeKey,
                    credentialIdentity: history.credentialIdentity, task: task, earlier: earlier?.source))
            earlier.take()?.end()
        }
        return askSource()
    }

    private mutating func askSource() -> Next {
        switch source?.answer() {
        case nil, .pass: return prepare(from: .departure(0))
        case .lookUp(let lookup): return .lookUp(lookup, number: beginLookup(before: .source))
        case .resolve: return resolve(isRouteNeeded: true)
        case .answer(let carrier): return answer(by: carrier)
        case .fail(let reason): return fail(reason)
        }
    }

    private mutating func answer(by carrier: any CarrierSource) -> Next {
        (stage, history.responseSource) = (.answering, source?.kind ?? .network)
        return .answer(carrier)
    }

    /// Gives the hop these fields, in place of those that the source has added before.
    private mutating func add(_ fields: [HeaderField]) {
        if fields.isEmpty, plainRequest == nil { return }
        let plain = plainRequest.take() ?? history.hop.request
        var request = plain
        for field in fields { request.headers.replace(with: field) }
        if !fields.isEmpty { plainRequest = plain }
        prepare(as: request)
    }

    /// How the response source has handled the hop, or the one before until the source has a part in this one; nil without
    /// a source.
    var cacheStatus: CacheStatus? { source?.status ?? earlier?.status }

    /// The hop is prepared again, without what the source has added. The source keeps its part until it has another one in
    /// the hop: other requests may wait for the response.
    private mutating func keepSource() {
        guard let kept = source else { return }
        if history.responseSource != .network { return endSource() }
        earlier = EarlierSource(kept, status: cacheStatus)
        source = nil
        add([])
    }

    /// The source has no more part in the hop, which loses what it has added.
    private mutating func endSource() {
        earlier?.end()
        guard source != nil else { return }
        earlier = EarlierSource(nil, status: cacheStatus)
        source.take()?.ended()
        add([])
    }

    /// The reader of the response takes no more at present.
    func paused() {
        reception?.tee?.paused()
        source?.paused()
    }
}

// Events of the exchange
extension TaskMachine {
    /// What to do with the head of a final response. Large and rare values are indirect, as in `Next`.
    enum HeadAnswer {
        case deliver
        /// Deliver no part of it: it is not the answer.
        case discard
        /// Ask whether to send this; until the answer nothing of the response is delivered.
        indirect case ask(URLRequest)
        /// Ask for credentials, likewise.
        indirect case challenge(ChallengeProposal)
        /// Ask whether to send the hop again, likewise.
        indirect case retry(RetryMetrics)
        /// Ask for new content, likewise.
        case askContent
        /// Call this, and report what it returns to `decided`.
        indirect case call(@Sendable () -> HopDecision)
        /// Give up.
        indirect case fail(SessionError.Reason)
    }

    /// - Parameters:
    ///   - isForProxy: whether a proxy has requested a credential, and the next attempt has it.
    ///   - connection: evaluated if anything reads the heads of all responses.
    mutating func head(
        _ head: ResponseHead, isForProxy: Bool = false, from connection: @autoclosure () -> ConnectionMetrics? = nil
    ) -> HeadAnswer {
        switch stage {
        case .attempting: break
        case .answering: if !history.responseSource.standsForNetwork { return decide(on: head, from: 0) }
        case .created, .preparing, .lookingUp, .resolving, .delayed, .deciding, .delivering, .asking, .discarding,
            .ending, .finishing, .completed:
            return .discard
        }
        if isForProxy {
            history.continuation = .challenge
            stage = .discarding(left: Self.maximumDiscardedContent, then: .attempt)
            return .discard
        }
        if policies.readsSuccess || source != nil {
            history.connection = connection()
        } else if head.status < 300 {
            stage = .delivering
            return .deliver
        }
        history.retryRefusal = nil
        for policy in policies.reading(head.status) { policy.learn(head, &history) }
        return decide(on: head, from: 0)
    }

    /// The head says to come back later, and another attempt of the hop may have an answer: the response waits for it.
    mutating func hold(_ head: ResponseHead) {
        guard case .attempting = stage else { return }
        stage = .asking(PendingQuestion(.otherAttempt, about: head))
    }

    /// The other attempt has no answer: the response of this one is the hop's, as if it had come now.
    mutating func proceed(from connection: ConnectionMetrics?) -> Next {
        guard case .asking(let question) = stage, case .otherAttempt = question.proposal, let head = question.head
        else {
            return .wait
        }
        stage = .attempting
        return .resume(self.head(head, from: connection), question)
    }

    /// The other attempt has the answer.
    mutating func forgetHeld() {
        guard isHolding else { return }
        endReception(isComplete: false)
        stage = .attempting
    }

    /// Whether a head is held.
    var isHolding: Bool { if case .otherAttempt? = question?.proposal { true } else { false } }

    /// What there would have been without the retry that the head asks for follows.
    private mutating func decide(withoutRetryAfter head: ResponseHead) -> HeadAnswer {
        stage = .attempting
        let reading = policies.reading(head.status)
        let index = reading.firstIndex { $0 is any RetryPlanner } ?? reading.count
        return decide(on: head, from: index + 1)
    }

    /// What the call that `head` has returned has decided.
    mutating func decided(_ decision: HopDecision) -> HeadAnswer {
        guard case .deciding(let head, let index) = stage else { return .discard }
        stage = history.responseSource == .network ? .attempting : .answering
        return follow(decision, head, by: index) ?? decide(on: head, from: index + 1)
    }

    /// Asks the policies from this one on, the response sources, and the policies that follow them. A stored response is not
    /// retried, and says nothing of credentials: its source has handled it.
    private mutating func decide(on head: ResponseHead, from first: Int) -> HeadAnswer {
        let reading = policies.reading(head.status)
        var index = history.responseSource.standsForNetwork ? first : max(first, reading.count)
        while index < reading.count {
            if let answer = follow(reading[index].decide(on: head, &history), head, by: index) { return answer }
            index += 1
        }
        if index == reading.count {
            if let source, let answer = decide(on: head, by: source) { return answer }
            index += 1
        }
        if head.status >= 300, source?.marks?.isFollowed ?? true {
            for policy in policies.following.dropFirst(index - reading.count - 1) {
                if let answer = follow(policy.decide(on: head, &history), head, by: index) { return answer }
                index += 1
            }
        }
        stage = .delivering
        return .deliver
    }

    private mutating func decide(on head: ResponseHead, by source: any HopSource) -> HeadAnswer? {
        let marks = source.marks
        if let request = marks?.takeRedirect() {
            let index = policies.reading(head.status).count + policies.following.count
            for policy in policies.following {
                if let answer = follow(policy.decide(onRedirectTo: request, &history), head, by: index) {
                    return answer
                }
            }
            return nil
        }
        let isStorable = marks?.isStorable ?? (history.connection?.overriddenTrustFailure == nil)
        switch source.received(head, isStorable: isStorable) {
        case .pass: return nil
        case .copy(let other):
            reception.copy(to: other)
            return nil
        case .answer(let carrier):
            stage = .discarding(left: Self.maximumDiscardedContent, then: .answer(carrier))
            return .discard
        case .resend:
            let isOfNetwork = history.responseSource == .network
            guard !isOfNetwork || history.hop.request.isReplayable else { return nil }
            history.continuation = .changedRequest
            stage = .discarding(left: Self.maximumDiscardedContent, then: isOfNetwork ? .attempt : .ask)
            return .discard
        }
    }

    /// Nil if the policy passes.
    private mutating func follow(_ decision: HopDecision, _ head: ResponseHead, by index: Int) -> HeadAnswer? {
        switch decision {
        case .pass: return nil
        case .call(let body):
            stage = .deciding(head, by: index)
            return .call(body)
        case .ask(.redirect(let redirection)):
            // The server has acted on the request.
            if history.responseSource == .network { leaveEffect(of: Evidence(isAnswered: true, isSent: true)) }
            history.continuation = .redirect
            stage = .asking(PendingQuestion(.redirect(redirection)))
            return .ask(redirection.request)
        case .ask(.challenge(let challenge)):
            history.continuation = .challenge
            stage = .asking(PendingQuestion(.challenge(challenge)))
            return .challenge(challenge)
        case .ask(.retry(let retry)):
            stage = .asking(PendingQuestion(.retry(retry), about: head))
            return .retry(retry)
        case .next(let request):
            history.continuation = .challenge
            let question = PendingQuestion(.content(request, history.chain))
            question.response = history.response(head)
            let next = move(to: request, history.chain, from: question)
            return if case .askContent = next { .askContent } else { .discard }
        case .resend(let request, let delay):
            history.continuation = .changedRequest
            let next = resend(request, after: delay, from: PendingQuestion(.contentAgain(request, after: delay)))
            return if case .askContent = next { .askContent } else { .discard }
        case .fail(let reason):
            stage = .ending
            return .fail(reason)
        }
    }

    private mutating func leaveEffect(of evidence: Evidence) {
        history.leaveEffect(isSafeToRepeat: retryRule.isSafeToRepeat(history.evidence(evidence)))
    }

    /// When the hop, which is sent now, is to have a second attempt; nil for never.
    @inline(__always)
    var hedging: RetryPolicy.Hedging? {
        mayHedge ? permittedHedging : nil
    }

    /// Asked when the first attempt is sent, and when the second is to begin.
    private var permittedHedging: RetryPolicy.Hedging? {
        guard isAttempting, isHopRepeatable else { return nil }
        return retryRule.policy.hedging
    }

    /// Whether the hop may be one that has a second attempt.
    @inline(__always)
    var mayHedge: Bool { policies.hedges || hop.request.hasRetryPolicy }

    var hedgesByPercentile: Bool { if case .percentile? = retryRule.policy.hedging { true } else { false } }

    /// Whether an attempt that ends so need not be the end of another that is made beside it.
    func isTemporary(_ outcome: RetryRule.Outcome) -> Bool { outcome.isTemporary(by: retryRule.policy) }

    /// Whether a second attempt is within the budget now. If it is about to be sent, it is counted.
    func allowsHedge(to server: String, isSent: Bool, at now: MonotonicInstant) -> Bool {
        guard let budget = policies.budget else { return true }
        let limits = retryRule.policy.budget
        return isSent ? budget.spend(on: server, limits, at: now) : budget.allows(server, limits, at: now)
    }

    /// The hop is repeated, as if it were sent for the first time, though the server may have got it before.
    func countRepeat(to server: @autoclosure () -> String, at now: MonotonicInstant) {
        let policy = retryRule.policy
        guard policy.budget != nil, policy.maximumRetries > 0 || policy.hedging != nil else { return }
        policies.budget?.addRepeat(to: server(), at: now)
    }

    var limitsEachAttempt: Bool { retryRule.policy.limitsEachAttempt }

    /// A retry has time until then.
    mutating func renew(until deadline: MonotonicInstant?) { history.renew(until: deadline) }

    /// That of the hop.
    private var retryRule: RetryRule { RetryRule(hop.request.retryPolicy ?? policies.retryPolicy) }

    /// What to do with content.
    enum ContentAnswer {
        case deliver
        case drop
        /// It is too early to decide.
        case pause
        /// There is too much of it: close the connection and continue with `leftBehind`.
        case leave
    }

    /// The content of the answer is decoded so.
    mutating func decode(by decoding: consuming ContentDecoding) { reception.decode(by: decoding) }

    /// This many bytes of content have arrived.
    mutating func content(_ count: Int) -> ContentAnswer {
        switch stage {
        case .delivering: return .deliver
        case .discarding(let left, _) where count > left: return .leave
        case .discarding(let left, let continuation):
            stage = .discarding(left: left &- count, then: continuation)
            return .drop
        case .asking: return .pause
        case .created, .preparing, .lookingUp, .resolving, .delayed, .attempting, .answering, .deciding, .ending,
            .finishing, .completed:
            return .drop
        }
    }

    /// The content has ended, with these fields. Returns whether the delegate is told of them now.
    mutating func ended(_ trailers: HeaderFields, _ discarded: HeaderFields) -> Bool {
        if case .asking = stage { reception.hold(trailers, discarded) }
        return isDelivering
    }

    /// The connection was closed because it had too much content to discard.
    mutating func leftBehind() -> Next {
        guard case .discarding(_, let continuation) = stage else { return .wait }
        endReception(isComplete: false)
        return follow(continuation)
    }

    /// The exchange is complete.
    mutating func ended() -> Next {
        switch stage {
        case .delivering:
            stage = .ending
            return .complete
        case .discarding(_, let continuation):
            endReception(isComplete: true)
            return follow(continuation)
        case .asking(let question):
            question.ending = .complete
            return .wait
        case .created, .preparing, .lookingUp, .resolving, .delayed, .attempting, .answering, .deciding, .ending,
            .finishing, .completed:
            return .wait
        }
    }

    /// The hop has no response, or its response broke off.
    ///
    /// - Parameters:
    ///   - wasRepeated: whether the attempt was the repeat of another on a dead connection.
    ///   - rest: what continues a response that broke off while it was delivered; nil if nothing does.
    mutating func failed(_ failure: AttemptFailure, wasRepeated: Bool = false, rest: URLRequest? = nil) -> Next {
        let evidence = history.evidence(failure.evidence, wasRepeated: wasRepeated)
        switch stage {
        case .attempting:
            if failure.kind == .lost, retryRule.repeats(evidence) {
                if !retryRule.isSafeToRepeat(evidence) { leaveEffect(of: failure.evidence) }
                history.continuation = .repeat
                return .repeat
            }
            if let next = recover(from: failure) { return next }
        case .answering: if let next = recover(from: failure) { return next }
        case .delivering: if let rest, let next = resume(with: rest, after: failure) { return next }
        // What the head has decided does not depend on the rest of the response.
        case .discarding(_, let continuation) where failure.kind.isEndOfExchange:
            endReception(isComplete: false)
            return follow(continuation)
        case .asking(let question) where failure.kind.isEndOfExchange:
            question.ending = .broken(failure.reason, isSafeToRepeat: isSafeToRepeat(evidence))
            return .wait
        case .finishing, .completed: return .fail(failure.reason, isSafeToRepeat: isSafeToRepeat(evidence))
        case .created, .preparing, .lookingUp, .resolving, .delayed, .deciding, .asking, .discarding, .ending: break
        }
        stage = .ending
        return .fail(failure.reason, isSafeToRepeat: isSafeToRepeat(evidence))
    }

    /// The content broke off, and this request continues it. Nil if no policy has it sent.
    private mutating func resume(with rest: URLRequest, after failure: AttemptFailure) -> Next? {
        for policy in policies.recovering {
            guard case .retry(let retry) = policy.decide(on: failure, &history) else { continue }
            return ask(about: retry, PendingQuestion(.retry(retry), rest: rest), failure)
        }
        return nil
    }

    /// Asks whether to send the hop again, whose attempt has ended so.
    private mutating func ask(about retry: RetryMetrics, _ question: PendingQuestion, _ failure: AttemptFailure) -> Next
    {
        let facts = history.evidence(failure.evidence)
        question.ending = .broken(failure.reason, isSafeToRepeat: isSafeToRepeat(facts))
        stage = .asking(question)
        return .askRetry(retry)
    }

    /// Nil if the task fails.
    private mutating func recover(from failure: AttemptFailure) -> Next? {
        if !history.responseSource.standsForNetwork { return answerInPlace(of: failure, isOwn: true) }
        history.retryRefusal = nil
        for policy in policies.recovering { policy.learn(failure, &history) }
        for policy in policies.recovering {
            switch policy.decide(on: failure, &history) {
            case .pass: continue
            case .next(let request, let delay):
                guard request.isReplayable else {
                    previousRequests.append(request)
                    return nil
                }
                if failure.evidence.isSent { leaveEffect(of: failure.evidence) }
                history.continuation = .changedRequest
                return recover(with: request, after: delay)
            case .retry(let retry):
                return ask(about: retry, PendingQuestion(.retry(retry), after: failure), failure)
            // The network is not what it waits for.
            case .wait where history.responseSource != .network: continue
            case .wait(let lookup, let isFirst):
                history.continuation = .connectivity
                return answerInPlace(of: failure, isOwn: false)
                    ?? .awaitNetwork(lookup, number: beginLookup(before: .attempt), isFirst: isFirst)
            case .fail(let reason): return .fail(reason, isSafeToRepeat: end(failure))
            }
        }
        return answerInPlace(of: failure, isOwn: false)
    }

    /// Asks the response sources; nil if they have no answer.
    private mutating func answerInPlace(of failure: AttemptFailure, isOwn: Bool) -> Next? {
        switch source?.failed(failure, isOwn: isOwn) {
        case nil, .pass: return nil
        case .answer(let carrier): return answer(by: carrier)
        case .send:
            add([])
            return askSource()
        case .fail(let reason): return .fail(reason, isSafeToRepeat: end(failure))
        }
    }

    /// The task fails. Returns whether its requests may be sent again.
    private mutating func end(_ failure: AttemptFailure) -> Bool {
        stage = .ending
        return isSafeToRepeat(history.evidence(failure.evidence))
    }

    private mutating func recover(with request: URLRequest, after delay: Duration) -> Next {
        var chain = history.chain
        chain.visit(history.hop.request)
        chain.visit(request)
        return move(to: request, chain, after: delay)
    }

    /// Whether the servers treat the task's requests and a second run of them as one.
    private func isSafeToRepeat(_ evidence: RetryRule.Facts) -> Bool {
        !history.hasLeftEffect && retryRule.isSafeToRepeat(evidence)
    }

    /// The same for a task whose present hop was sent, or not.
    func isSafeToRepeat(wasSent: Bool) -> Bool {
        isSafeToRepeat(history.evidence(Evidence(isSent: wasSent)))
    }

    /// Whether the hop can be sent again once it was sent, and may be although a server has received it.
    var isHopRepeatable: Bool { retryRule.isRepeatable(history.evidenceOfSending) }
}

// Questions to the delegate, and its answers
extension TaskMachine {
    /// Opens a question, and returns its number. Call `asked` when the delegate has returned.
    mutating func ask() -> UInt64 { questions.ask() }

    /// Returns the answer, if the delegate gave it within the call.
    mutating func asked() -> DelegateResponse? { questions.asked() }

    mutating func received(_ answer: DelegateResponse, to number: UInt64) -> QuestionBook.Reception {
        questions.received(answer, to: number)
    }

    /// No answer counts any more.
    mutating func closeQuestion() { questions.close() }

    /// The delegate was asked about a redirect and names the next request; nil if the response is the answer.
    mutating func answered(_ request: URLRequest?) -> Next {
        guard case .asking(let question) = stage, case .redirect(var redirection) = question.proposal else {
            return .wait
        }
        guard let request else { return deliver(question) }
        redirection.chain.visit(request)
        return move(to: request, redirection.chain, from: question)
    }

    /// The delegate was asked for credentials. The policy that wanted them forms the next request.
    mutating func answered(_ answer: ChallengeAnswer) -> Next {
        guard case .asking(let question) = stage, case .challenge(let challenge) = question.proposal else {
            return .wait
        }
        guard let request = challenge.request(answer, &history) else { return deliver(question) }
        return move(to: request, history.chain, from: question)
    }

    /// The delegate was asked whether to send the hop again.
    mutating func answered(_ answer: RetryAnswer) -> Next {
        guard case .asking(let question) = stage, case .retry(var retry) = question.proposal else { return .wait }
        switch answer {
        case .doNotRetry: return refuse(question, because: .delegate)
        case .retryWithDelay(let delay): retry.delay = delay
        case .retry: break
        }
        guard spend(on: retry) else { return refuse(question, because: .budget) }
        history.add(retry)
        history.continuation = .retry(retry)
        return resend(question.rest ?? history.request, after: retry.delay, from: question, hasContent: true)
    }

    /// Counts a retry. False if others have used the budget up meanwhile.
    private func spend(on retry: RetryMetrics) -> Bool {
        guard history.responseSource == .network, let retries = policies.retries else { return true }
        return retries.spend(on: history.hop.request, at: retry.time)
    }

    /// No retry follows: what there would have been without the policy does, in the order of the table above.
    private mutating func refuse(_ question: PendingQuestion, because refusal: RetryRefusal) -> Next {
        history.retryRefusal = refusal
        if let head = question.head { return .resume(decide(withoutRetryAfter: head), question) }
        if let failure = question.failure {
            stage = .attempting
            if let next = answerInPlace(of: failure, isOwn: false) { return next }
            stage = .asking(question)
        }
        return deliver(question)
    }

    /// The delegate was asked for new content and gives it; nil if it has none.
    mutating func answered(content: RequestBody?) -> Next {
        guard case .asking(let question) = stage else { return .wait }
        switch question.proposal {
        case .content(var request, let chain):
            guard let content else {
                return answerWithoutContent(request, question, isRedirect: chain.count > history.chain.count)
            }
            request.body = content
            return move(to: request, chain, from: question, hasContent: true)
        case .contentAgain(var request, let delay):
            guard let content else { return answerWithoutContent(request, question, isRedirect: false) }
            request.body = content
            return resend(request, after: delay, from: question, hasContent: true)
        case .redirect, .challenge, .retry, .delivery, .otherAttempt: return .wait
        }
    }

    /// The request cannot be sent again. A redirect is no answer; a response that asks for the request to be repeated,
    /// such as a 401, is one.
    private mutating func answerWithoutContent(
        _ request: URLRequest, _ question: PendingQuestion, isRedirect: Bool
    ) -> Next {
        previousRequests.append(request)
        guard isRedirect else { return deliver(question) }
        stage = .ending
        return .fail(.transfer(.redirect(.bodyNotReplayable)), isSafeToRepeat: false)
    }

    /// The response is the answer, but its content waits until the delegate has said whether it wants it.
    mutating func awaitDisposition() {
        guard case .delivering = stage else { return }
        stage = .asking(PendingQuestion(.delivery))
    }

    /// The delegate wants the content.
    mutating func allowed() -> Next {
        guard case .asking(let question) = stage, case .delivery = question.proposal else { return .wait }
        return deliver(question)
    }

    /// The response is not wanted, and this is sent as the next hop.
    mutating func answered(instead request: URLRequest) -> Next {
        guard case .asking(let question) = stage, case .delivery = question.proposal else { return .wait }
        leaveEffect(of: Evidence(isAnswered: true, isSent: true))
        history.continuation = .changedRequest
        return move(to: request, history.chain, from: question)
    }

    private mutating func deliver(_ question: PendingQuestion) -> Next {
        switch question.ending {
        case .pending:
            stage = .delivering
            return .deliver(question, isComplete: false)
        case .complete:
            stage = .ending
            return .deliver(question, isComplete: true)
        case .broken(let reason, let isSafe):
            stage = .ending
            if let failure = question.failure { return .failed(failure, isSafeToRepeat: isSafe) }
            return .fail(reason, isSafeToRepeat: isSafe)
        }
    }
}

// The end
extension TaskMachine {
    /// The task is to end. False if it ends already.
    mutating func finish() -> Bool {
        switch stage {
        case .finishing, .completed: return false
        case .created, .preparing, .lookingUp, .resolving, .delayed, .attempting, .answering, .deciding, .delivering,
            .asking, .discarding, .ending:
            stage = .finishing
            return true
        }
    }

    /// The task has ended: it accepts no more events.
    mutating func complete() {
        stage = .completed
        questions.close()
        source.take()?.ended()
        earlier?.end()
        history.forget()
    }

    /// No more of the response will arrive. Returns the question whether the copy is kept, if there is one.
    mutating func endReception(isAnswer isComplete: Bool) -> CacheQuestion? { reception.end(isComplete: isComplete) }
}

extension HopPolicies {
    /// Those that read the heads of responses with this status.
    fileprivate func reading(_ status: Int) -> [any HopPolicy] { status >= 300 ? reading : readingAll }
}

/// What a response source did before. Boxed: a task without one stays small.
private final class EarlierSource {
    /// That of the hop as it was sent before, until the source has a new one.
    private(set) var source: (any HopSource)?
    let status: CacheStatus?

    init(_ source: (any HopSource)?, status: CacheStatus?) { (self.source, self.status) = (source, status) }

    func end() { source.take()?.ended() }
}
