// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// What happened to a task, and what comes next: the only place that plans its hops. Decides, does nothing.
///
/// What a response means is decided on in two steps: the rules say what it proposes, and whoever asked for the task says
/// whether to do it, perhaps much later. Meanwhile the exchange may end or break off, which then is remembered.
///
/// Requests may hold objects of the user's, who may learn of their last release: a plan lets go of none while it changes, but keeps
/// what was asked, or was to be, until the task goes.
struct TaskPlan: ~Copyable {
    private enum Stage {
        /// The hop is to be sent, or on its way. Exits: delivering, asking, over.
        case underWay
        /// Its response is the answer. Exit: over.
        case delivering
        /// Its response leads elsewhere, and nobody has said yet whether to go there. Exits: delivering, swallowing,
        /// underWay, over.
        case asking(Ending)
        /// Its response led elsewhere: so many more octets of its body are let go of, so that its connection can be used again.
        /// Exit: underWay.
        case swallowing(left: Int)
        /// Exit: none.
        case over
    }

    /// How the exchange ended while something was being decided.
    // What is large and rare in a task stands apart from it: every task has room for it else.
    private enum Ending {
        case notYet
        case complete
        indirect case broken(EngineError.Reason, isSafeToRepeat: Bool)
    }

    private indirect enum Proposal {
        /// To go there.
        case redirect(RedirectRule.Redirection)
        /// To ask again with credentials.
        case challenge
        /// To deliver the body.
        case delivery
        /// To send this, with content that can be read once and has been.
        case content(URLRequest, RedirectChain)
    }

    /// Credentials are given so often at most: whoever is refused then will be.
    private static let challengesAtMost = 16

    /// Of a redirect's body so much is read for the sake of its connection.
    static let swallowedAtMost = 64 * 1024

    private var stage = Stage.underWay
    /// What is asked now.
    private(set) var hop: Hop
    /// How often this hop has been sent again because a kept-alive connection turned out to be dead: 0 or 1.
    private(set) var repeatCount = 0
    /// What is being decided on.
    private var proposal: Proposal?
    /// How often credentials were given.
    private(set) var challengeCount = 0
    private var chain = RedirectChain()
    /// What is asked no more.
    private var former: [URLRequest] = []
    private let redirects: RedirectRule
    private let repeats: RepeatRule
    /// Of the session; those of the request are its own.
    private let sensitiveFields: SensitiveFields

    init(_ request: URLRequest, redirects: RedirectRule, repeats: RepeatRule, sensitiveFields: SensitiveFields = []) {
        self.sensitiveFields = sensitiveFields
        hop = Hop(request: request)
        self.redirects = redirects
        self.repeats = repeats
    }

    /// What to do with the head of a final response.
    enum HeadAnswer {
        case deliver
        /// It is not the answer, and its body is of no use; the hop is sent again, or another.
        case swallow
        /// Ask whether to go there; until it is `answered`, nothing of the response is told.
        case ask(URLRequest)
        /// Ask for credentials, likewise.
        case challenge
        /// Give up.
        case fail(EngineError.Reason)
    }

    mutating func head(_ head: ResponseHead) -> HeadAnswer {
        if head.status == 417, repeatWithoutExpectation() { return .swallow }
        if head.status == 401, head["WWW-Authenticate"] != nil, challengeCount < Self.challengesAtMost {
            proposal = .challenge
            stage = .asking(.notYet)
            return .challenge
        }
        guard RedirectRule.isRedirect(head.status) else {
            stage = .delivering
            return .deliver
        }
        let outcome = redirects.outcome(
            status: head.status, locations: head.fields.values(for: "Location"), sent: hop.request,
            isReplayable: true, chain: chain,
            isSensitive: { hop.request.isSensitive(fieldNamed: $0) || sensitiveFields.contains($0) })
        switch outcome {
        case .deliver:
            stage = .delivering
            return .deliver
        case .follow(let redirection):
            proposal = .redirect(redirection)
            stage = .asking(.notYet)
            return .ask(redirection.request)
        case .refuse(let error):
            stage = .over
            return .fail(.transfer(.redirect(error)))
        }
    }

    /// A server that does not know what is expected of it says so before any content was sent (RFC 9110 §15.5.18), and nothing
    /// speaks against asking without.
    private mutating func repeatWithoutExpectation() -> Bool {
        guard hop.request.headers["Expect"] != nil, hop.request.isReplayable else { return false }
        hop.request.headers["Expect"] = nil
        stage = .swallowing(left: Self.swallowedAtMost)
        return true
    }

    /// What to do next.
    enum Next {
        /// Nothing, until something happens.
        case wait
        /// Send the hop.
        case go
        /// Tell what was held back of the response, and go on with it; it may have ended since.
        case deliver(isComplete: Bool)
        /// Ask for new content; until it is `answered`, nothing is sent.
        case askContent
        /// The task is done.
        case complete
        case fail(EngineError.Reason, isSafeToRepeat: Bool)
    }

    /// Whoever was asked about a redirect says where to go; nil for nowhere: the response is the answer.
    mutating func answered(_ request: URLRequest?) -> Next {
        guard case .asking(let ending) = stage, case .redirect(var redirection) = proposal.take() else { return .wait }
        guard let request else { return deliver(ending) }
        if let origin = try? request.destination.get().origin { redirection.chain.visit(origin) }
        return move(to: request, redirection.chain, ending)
    }

    /// Whoever was asked for credentials gives the value of an `Authorization` field; nil for none.
    mutating func answered(authorization: String?) -> Next {
        guard case .asking(let ending) = stage, case .challenge = proposal.take() else { return .wait }
        guard let authorization else { return deliver(ending) }
        challengeCount += 1
        var request = hop.request
        request.headers["Authorization"] = authorization
        return move(to: request, chain, ending)
    }

    /// Whoever was asked for new content gives it; nil for none.
    mutating func answered(content: RequestContent?) -> Next {
        guard case .asking(let ending) = stage, case .content(var request, let chain) = proposal.take() else {
            return .wait
        }
        guard let content else {
            former.append(request)
            stage = .over
            return .fail(.transfer(.redirect(.bodyNotReplayable)), isSafeToRepeat: false)
        }
        request.content = content
        return move(to: request, chain, ending, isContentNew: true)
    }

    /// The response is the answer, but its body waits until somebody has said whether it is wanted.
    mutating func awaitDisposition() {
        guard case .delivering = stage else { return }
        proposal = .delivery
        stage = .asking(.notYet)
    }

    /// It is.
    mutating func allowed() -> Next {
        guard case .asking(let ending) = stage, case .delivery = proposal.take() else { return .wait }
        return deliver(ending)
    }

    /// It is not, and something else is asked instead.
    mutating func answered(instead request: URLRequest) -> Next {
        guard case .asking(let ending) = stage, case .delivery = proposal.take() else { return .wait }
        return move(to: request, chain, ending)
    }

    private mutating func deliver(_ ending: Ending) -> Next {
        switch ending {
        case .notYet:
            stage = .delivering
            return .deliver(isComplete: false)
        case .complete:
            stage = .over
            return .deliver(isComplete: true)
        case .broken(let reason, let isSafe):
            stage = .over
            return .fail(reason, isSafeToRepeat: isSafe)
        }
    }

    private mutating func move(
        to request: URLRequest, _ chain: RedirectChain, _ ending: Ending, isContentNew: Bool = false
    ) -> Next {
        guard isContentNew || request.isReplayable else {
            proposal = .content(request, chain)
            return .askContent
        }
        self.chain = chain
        former.append(hop.request)
        hop = Hop(request: request, mayCarryCredentials: chain.mayCarryCredentials, number: hop.number &+ 1)
        repeatCount = 0
        switch ending {
        case .notYet:
            stage = .swallowing(left: Self.swallowedAtMost)
            return .wait
        case .complete, .broken:
            stage = .underWay
            return .go
        }
    }

    /// Whether content belongs to the answer. Of any other so much more came.
    mutating func content(_ count: Int) -> ContentAnswer {
        switch stage {
        case .delivering: return .deliver
        case .swallowing(let left) where count > left:
            stage = .underWay
            return .leave
        case .swallowing(let left):
            stage = .swallowing(left: left &- count)
            return .drop
        case .asking: return .hold
        case .underWay, .over: return .drop
        }
    }

    enum ContentAnswer {
        case deliver
        case drop
        /// It is too early to say.
        case hold
        /// It is too much: close the connection, and send the hop.
        case leave
    }

    /// The exchange is complete.
    mutating func ended() -> Next {
        switch stage {
        case .delivering:
            stage = .over
            return .complete
        case .swallowing:
            stage = .underWay
            return .go
        case .asking:
            stage = .asking(.complete)
            return .wait
        case .underWay, .over: return .wait
        }
    }

    /// The exchange broke off.
    mutating func failed(_ reason: EngineError.Reason, _ evidence: Evidence) -> Next {
        let evidence = hop.evidence(evidence, wasRepeated: repeatCount > 0)
        let isSafeToRepeat = RepeatRule.isSafeToRepeat(evidence)
        switch stage {
        case .underWay:
            guard case .transfer(.connectionLost) = reason, repeats.repeats(evidence) else { break }
            repeatCount += 1
            return .go
        case .swallowing:
            guard case .transfer(.connectionLost) = reason else { break }
            stage = .underWay
            return .go
        case .asking:
            guard case .transfer(.connectionLost) = reason else { break }
            stage = .asking(.broken(reason, isSafeToRepeat: isSafeToRepeat))
            return .wait
        case .delivering, .over: break
        }
        stage = .over
        return .fail(reason, isSafeToRepeat: isSafeToRepeat)
    }

    /// Whether what is asked now may be asked again and nothing happens twice.
    func isSafeToRepeat(wasSent: Bool) -> Bool {
        RepeatRule.isSafeToRepeat(hop.evidence(Evidence(isSent: wasSent), wasRepeated: false))
    }

    /// Hands out what is asked no more, if that has become much: for who lets go of it while nothing is half changed.
    mutating func takeFormer() -> [URLRequest] {
        guard former.count > RedirectPolicy.rememberedHops else { return [] }
        defer { former = [] }
        return former
    }

    /// The task ends, whatever happens still.
    mutating func end() { stage = .over }

    /// Whether something is to be decided on before anything is told.
    var isAsking: Bool { if case .asking = stage { true } else { false } }

    /// Whether what comes is told.
    var isDelivering: Bool { if case .delivering = stage { true } else { false } }
}

extension Hop {
    fileprivate func evidence(_ evidence: Evidence, wasRepeated: Bool) -> RepeatRule.Evidence {
        RepeatRule.Evidence(
            method: request.method, hasIdempotencyKey: request.headers["Idempotency-Key"] != nil,
            policy: request.repeatPolicy, isContentReplayable: request.isReplayable || !evidence.isSent,
            wasConnectionReused: evidence.wasReused, wasSent: evidence.isSent, wasAnswered: evidence.isAnswered,
            wasRepeated: wasRepeated)
    }
}
