// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The progress of a task, from `resume()` to its end: the only place that plans its hops. The machine decides; the
/// task acts.
///
/// The meaning of a response is decided in two steps: the policies decide what follows from it, and for some of that
/// the delegate is asked, which may answer much later. Meanwhile the exchange may end or fail, which the machine then
/// remembers.
///
/// Requests may hold user objects that run code when they are released. The machine releases none while it changes: it
/// keeps the requests of earlier hops until the task takes them.
struct TaskMachine: ~Copyable {
    /// A task may end from any of these: `finishing` and `completed` are exits of all.
    enum Stage {
        /// `resume()` has not reached the reactor. Exits: exchanging, ending.
        case created
        /// A policy looks something up before the hop is sent, and policies from `next` on have not been asked. Exits:
        /// exchanging, ending.
        case lookingUp(number: UInt64, next: Int)
        /// The hop is sent after a delay. Exits: exchanging, ending.
        case delayed
        /// A connection is requested or the request is sent; no final head has arrived. Exits: all but created.
        case exchanging
        /// The response is the answer. Exits: asking, ending.
        case delivering
        /// The delegate has not answered. Exits: delivering, discarding, delayed, exchanging, ending.
        case asking(PendingQuestion)
        /// The response is not the answer. Up to this many bytes of its content are read so that the connection can be
        /// used again. Exits: delayed, exchanging, ending.
        case discarding(left: Int)
        /// The task ends. Exits: finishing, completed.
        case ending
        /// The task prepares its end, such as a file. Exit: completed.
        case finishing
        /// Exit: none.
        case completed
    }

    /// Rare, hence indirect.
    private indirect enum Transition {
        case delay(Duration)
        /// The hop is answered by this.
        case answer(any CarrierSource)
    }

    /// The maximum number of bytes drained from a response that is not the answer, to reuse its connection.
    static let maximumDiscardedContent = 64 * 1024

    private var stage = Stage.created
    private(set) var history: TaskHistory
    /// Identifies the open question to the delegate's answers.
    private var questions = QuestionBook()
    /// Receives a copy of the content that is delivered.
    private(set) var tee: (any ContentTee)?
    private let policies: HopPolicies
    /// What comes between the discarded response and the next hop, or in place of that; nil for nothing.
    private var transition: Transition?
    /// Whether the hop is answered by a stored response, from which no policy learns.
    private(set) var isStored = false
    private var lookupCount: UInt64 = 0
    private var isPrepared = false
    private var hasWaited = false
    private var previousRequests: [URLRequest] = []

    @inline(__always)
    init(_ request: URLRequest, policies: HopPolicies) {
        self.policies = policies
        history = TaskHistory(request)
    }

    /// The next action. Large and rare values are indirect, so that the rest is cheap to return.
    enum Next {
        /// None, until an event occurs.
        case wait
        /// Find a connection for the hop and send it.
        case send
        /// Start a lookup, and report its result to `lookedUp` with this number.
        indirect case lookUp(HopLookup, number: UInt64)
        /// Likewise; the first time the delegate is called before.
        indirect case awaitNetwork(HopLookup, number: UInt64, isFirst: Bool)
        /// Call `delayEnded` after this delay.
        indirect case delay(Duration)
        /// Report to `lookedUp` with this number after this delay.
        indirect case hold(Duration, number: UInt64)
        /// Have the hop answered by this source.
        indirect case answer(any CarrierSource)
        /// Deliver the held parts of the response; the response may have ended meanwhile.
        case deliver(PendingQuestion, isComplete: Bool)
        /// Ask for new content; until the answer nothing is sent.
        case askContent
        /// The task is done.
        case complete
        indirect case fail(SessionError.Reason, isSafeToRepeat: Bool)
    }

    /// The request that is sent now, or was sent last.
    var hop: Hop { history.hop }

    /// A response to the hop.
    func response(_ head: ResponseHead) -> HTTPURLResponse { history.response(head) }

    /// The question that the delegate has not answered yet.
    var question: PendingQuestion? { if case .asking(let question) = stage { question } else { nil } }

    var isAsking: Bool { if case .asking = stage { true } else { false } }

    /// Whether the response is the answer, and content is delivered as it arrives.
    var isDelivering: Bool { if case .delivering = stage { true } else { false } }

    /// Whether the task has been started and has not begun to end.
    var isWorking: Bool {
        switch stage {
        case .created, .ending, .finishing, .completed: false
        case .lookingUp, .delayed, .exchanging, .delivering, .asking, .discarding: true
        }
    }
}

// The hop
extension TaskMachine {
    /// The task is started. False if it was before, or has ended.
    mutating func start() -> Bool {
        guard case .created = stage else { return false }
        stage = .exchanging
        return true
    }

    /// The hop is to be sent: for the first time, or again.
    mutating func begin() -> Next {
        guard case .exchanging = stage else { return .wait }
        isStored = false
        return isPrepared || policies.preparing.isEmpty ? .send : prepare(from: 0)
    }

    private mutating func prepare(from first: Int) -> Next {
        for index in first..<max(first, policies.preparing.count) {
            let preparation = policies.preparing[index].prepare(history.hop, &history)
            if let next = follow(preparation, next: index + 1) { return next }
        }
        isPrepared = true
        return .send
    }

    /// Whether the machine waits for the lookup with this number.
    func awaits(lookup number: UInt64) -> Bool { if case .lookingUp(number, _) = stage { true } else { false } }

    /// A lookup has ended. Only the first result counts, and only while the machine waits for it.
    mutating func lookedUp(_ number: UInt64, _ preparation: HopPreparation) -> Next {
        guard case .lookingUp(number, let next) = stage else { return .wait }
        stage = .exchanging
        return follow(preparation, next: next) ?? prepare(from: next)
    }

    /// Nil if the next policy is to be asked.
    private mutating func follow(_ preparation: HopPreparation, next: Int) -> Next? {
        switch preparation {
        case .ready: return nil
        case .change(let request, let memory):
            if let memory { history.remember(memory) }
            if let previous = history.prepare(as: request) { previousRequests.append(previous) }
            return nil
        case .route(let settings):
            history.take(settings)
            return nil
        case .again(let memory):
            history.remember(memory)
            return prepare(from: next - 1)
        case .lookUp(let lookup):
            return .lookUp(lookup, number: beginLookup(next: next))
        case .hold(let delay):
            return .hold(delay, number: beginLookup(next: next))
        case .answer(let source, let memory):
            if let memory { history.remember(memory) }
            (isPrepared, isStored) = (true, true)
            return .answer(source)
        case .fail(let reason):
            stage = .ending
            return .fail(reason, isSafeToRepeat: true)
        }
    }

    /// Waits for a lookup, or for a delay in its place. Returns its number.
    private mutating func beginLookup(next: Int) -> UInt64 {
        lookupCount &+= 1
        stage = .lookingUp(number: lookupCount, next: next)
        return lookupCount
    }

    /// The delay between two hops is over.
    mutating func delayEnded() -> Next {
        guard case .delayed = stage else { return .wait }
        stage = .exchanging
        return begin()
    }

    /// The exchange is over, and another follows it: at once, or after a delay.
    private mutating func beginNext() -> Next {
        switch transition.take() {
        case .answer(let source):
            (stage, isStored) = (.exchanging, true)
            return .answer(source)
        case .delay(let delay):
            stage = .delayed
            return .delay(delay)
        case nil:
            stage = .exchanging
            return begin()
        }
    }

    private mutating func move(
        to request: URLRequest, _ chain: RedirectChain, from question: PendingQuestion, isContentNew: Bool = false
    ) -> Next {
        guard isContentNew || request.isReplayable else {
            stage = .asking(question.asking(.content(request, chain)))
            return .askContent
        }
        if let response = question.response { history.append(response) }
        previousRequests += history.move(to: request, chain)
        isPrepared = false
        return leave(question)
    }

    private mutating func postpone(by delay: Duration) { transition = delay > .zero ? .delay(delay) : nil }

    /// Begins the next hop: the one before has no response.
    private mutating func move(to request: URLRequest, _ chain: RedirectChain, after delay: Duration) -> Next {
        previousRequests += history.move(to: request, chain)
        postpone(by: delay)
        isPrepared = false
        return beginNext()
    }

    /// Sends the hop again, with this request.
    private mutating func resend(
        _ request: URLRequest, after delay: Duration, from question: PendingQuestion, isContentNew: Bool = false
    ) -> Next {
        guard isContentNew || request.isReplayable else {
            stage = .asking(question.asking(.contentAgain(request, after: delay)))
            return .askContent
        }
        postpone(by: delay)
        isPrepared = false
        previousRequests += history.restart(with: request)
        return leave(question)
    }

    /// The response of the question is not the answer.
    private mutating func leave(_ question: PendingQuestion) -> Next {
        if case .pending = question.ending {
            stage = .discarding(left: Self.maximumDiscardedContent)
            return .wait
        }
        if case .complete = question.ending { endTee(isComplete: true) } else { endTee(isComplete: false) }
        return beginNext()
    }

    /// The response is not the answer, and what receives a copy of its content has received all of it. No delegate is
    /// asked about it.
    private mutating func endTee(isComplete: Bool) {
        guard let question = tee.take()?.ended(isComplete: isComplete) else { return }
        question.answer(question.proposal)
    }

    /// Returns the requests that are not needed any more, if there are many: for a caller that can release them.
    mutating func takePreviousRequests() -> [URLRequest] {
        guard previousRequests.count > RedirectPolicy.maximumRememberedHops else { return [] }
        defer { previousRequests = [] }
        return previousRequests
    }
}

// Events of the exchange
extension TaskMachine {
    /// What to do with the head of a final response.
    enum HeadAnswer {
        case deliver
        /// Deliver no part of it: it is not the answer.
        case discard
        /// Ask whether to send this; until the answer nothing of the response is delivered.
        case ask(URLRequest)
        /// Ask for credentials, likewise.
        case challenge(ChallengeProposal)
        /// Ask for new content, likewise.
        case askContent
        /// Give up.
        case fail(SessionError.Reason)
    }

    /// - Parameter connection: evaluated if a policy reads the heads of all responses.
    mutating func head(_ head: ResponseHead, from connection: @autoclosure () -> ConnectionMetrics? = nil) -> HeadAnswer
    {
        guard case .exchanging = stage else { return .discard }
        if !policies.readingAll.isEmpty {
            history.connection = connection()
            return decide(on: head)
        }
        guard head.status < 300 else { return decide(on: head) }
        stage = .delivering
        return .deliver
    }

    private mutating func decide(on head: ResponseHead) -> HeadAnswer {
        let reading = head.status >= 300 ? policies.reading : policies.readingAll
        if !isStored {
            for policy in reading { policy.learn(head, &history) }
        }
        for policy in reading {
            switch policy.decide(on: head, &history) {
            case .pass: continue
            case .copy(let other): tee = other
            case .answer(let source):
                transition = .answer(source)
                stage = .discarding(left: Self.maximumDiscardedContent)
                return .discard
            case .ask(.redirect(let redirection)):
                stage = .asking(PendingQuestion(.redirect(redirection)))
                return .ask(redirection.request)
            case .ask(.challenge(let challenge)):
                stage = .asking(PendingQuestion(.challenge(challenge)))
                return .challenge(challenge)
            case .next(let request):
                let question = PendingQuestion(.content(request, history.chain))
                question.response = history.response(head)
                let next = move(to: request, history.chain, from: question)
                return if case .askContent = next { .askContent } else { .discard }
            case .resend(let request, let delay):
                let next = resend(request, after: delay, from: PendingQuestion(.contentAgain(request, after: delay)))
                return if case .askContent = next { .askContent } else { .discard }
            case .fail(let reason):
                stage = .ending
                return .fail(reason)
            }
        }
        stage = .delivering
        return .deliver
    }

    /// What to do with content.
    enum BodyAnswer {
        case deliver
        case drop
        /// It is too early to decide.
        case hold
        /// There is too much of it: close the connection and continue with `leftBehind`.
        case leave
    }

    /// This many bytes of content have arrived.
    mutating func content(_ count: Int) -> BodyAnswer {
        switch stage {
        case .delivering: return .deliver
        case .discarding(let left) where count > left: return .leave
        case .discarding(let left):
            stage = .discarding(left: left &- count)
            return .drop
        case .asking: return .hold
        case .created, .lookingUp, .delayed, .exchanging, .ending, .finishing, .completed: return .drop
        }
    }

    /// The connection was closed because it had too much content to discard.
    mutating func leftBehind() -> Next {
        guard case .discarding = stage else { return .wait }
        endTee(isComplete: false)
        return beginNext()
    }

    /// The exchange is complete.
    mutating func ended() -> Next {
        switch stage {
        case .delivering:
            stage = .ending
            return .complete
        case .discarding:
            endTee(isComplete: true)
            return beginNext()
        case .asking(let question):
            question.ending = .complete
            return .wait
        case .created, .lookingUp, .delayed, .exchanging, .ending, .finishing, .completed: return .wait
        }
    }

    /// The exchange broke off.
    mutating func failed(_ reason: SessionError.Reason, _ evidence: Evidence) -> Next {
        let isSafeToRepeat = RepeatRule.isSafeToRepeat(history.evidence(evidence))
        let isLost = if case .transfer(.connectionLost) = reason { true } else { false }
        switch stage {
        case .exchanging where isLost:
            if let next = recover(from: .lost(evidence)) { return next }
        case .discarding where isLost:
            endTee(isComplete: false)
            return beginNext()
        case .asking(let question) where isLost:
            question.ending = .broken(reason, isSafeToRepeat: isSafeToRepeat)
            return .wait
        case .created, .lookingUp, .delayed, .exchanging, .delivering, .asking, .discarding, .ending, .finishing,
            .completed:
            break
        }
        switch stage {
        case .finishing, .completed: break
        case .created, .lookingUp, .delayed, .exchanging, .delivering, .asking, .discarding, .ending: stage = .ending
        }
        return .fail(reason, isSafeToRepeat: isSafeToRepeat)
    }

    /// No connection could be opened for the hop. Nil if the task fails for that.
    mutating func unconnected(_ failure: SessionError.ConnectingFailure) -> Next? {
        guard case .exchanging = stage else { return nil }
        return recover(from: .unconnected(failure))
    }

    private mutating func recover(from failure: HopFailure) -> Next? {
        for policy in policies.recovering {
            switch policy.decide(on: failure, &history) {
            case .pass: continue
            case .again: return begin()
            case .answer(let source):
                isStored = true
                return .answer(source)
            case .next(let request, let delay):
                guard request.isReplayable else {
                    previousRequests.append(request)
                    return nil
                }
                return recover(with: request, after: delay)
            case .wait(let lookup):
                defer { hasWaited = true }
                let number = beginLookup(next: policies.preparing.count)
                return .awaitNetwork(lookup, number: number, isFirst: !hasWaited)
            case .fail(let reason):
                stage = .ending
                return .fail(reason, isSafeToRepeat: false)
            }
        }
        return nil
    }

    private mutating func recover(with request: URLRequest, after delay: Duration) -> Next {
        var chain = history.chain
        chain.visit(history.hop.request)
        chain.visit(request)
        return move(to: request, chain, after: delay)
    }

    /// Whether the server treats the current request and a second one as one.
    func isSafeToRepeat(wasSent: Bool) -> Bool {
        RepeatRule.isSafeToRepeat(history.evidence(Evidence(isSent: wasSent)))
    }
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

    /// The delegate was asked for new content and gives it; nil if it has none.
    mutating func answered(content: RequestBody?) -> Next {
        guard case .asking(let question) = stage else { return .wait }
        switch question.proposal {
        case .content(var request, let chain):
            guard let content else {
                return answerWithoutContent(request, question, isRedirect: chain.count > history.chain.count)
            }
            request.body = content
            return move(to: request, chain, from: question, isContentNew: true)
        case .contentAgain(var request, let delay):
            guard let content else { return answerWithoutContent(request, question, isRedirect: false) }
            request.body = content
            return resend(request, after: delay, from: question, isContentNew: true)
        case .redirect, .challenge, .delivery: return .wait
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
        case .created, .lookingUp, .delayed, .exchanging, .delivering, .asking, .discarding, .ending:
            stage = .finishing
            return true
        }
    }

    /// The task has ended: it accepts no more events.
    mutating func complete() {
        stage = .completed
        questions.close()
        history.forget()
    }

    /// Other tasks wait for the response no longer.
    mutating func endFlight() { history.flight = nil }

    /// Returns what receives a copy of the content, once.
    mutating func takeTee() -> (any ContentTee)? { tee.take() }
}
