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

    /// The maximum number of bytes drained from a response that is not the answer, to reuse its connection.
    static let maximumDiscardedContent = 64 * 1024

    // Only the files of the machine's extensions change these.
    var stage = Stage.created
    var history: TaskHistory
    /// Identifies the open question to the delegate's answers.
    var questions = QuestionBook()
    /// Receives a copy of the content that is delivered.
    var tee: (any ContentTee)?
    let policies: HopPolicies
    /// The delay between the discarded response and the next hop.
    private var delay = Duration.zero
    private var lookupCount: UInt64 = 0
    private var isPrepared = false
    var previousRequests: [URLRequest] = []

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
        /// Call `delayEnded` after this delay.
        indirect case delay(Duration)
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
        case .change(let request):
            if let previous = history.prepare(as: request) { previousRequests.append(previous) }
            return nil
        case .lookUp(let lookup):
            lookupCount &+= 1
            stage = .lookingUp(number: lookupCount, next: next)
            return .lookUp(lookup, number: lookupCount)
        case .answer(let source):
            isPrepared = true
            return .answer(source)
        case .fail(let reason):
            stage = .ending
            return .fail(reason, isSafeToRepeat: true)
        }
    }

    /// The delay between two hops is over.
    mutating func delayEnded() -> Next {
        guard case .delayed = stage else { return .wait }
        stage = .exchanging
        return begin()
    }

    /// The exchange is over, and another follows it: at once, or after a delay.
    mutating func beginNext() -> Next {
        if delay > .zero {
            stage = .delayed
            defer { delay = .zero }
            return .delay(delay)
        }
        stage = .exchanging
        return begin()
    }

    mutating func move(
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

    /// Begins the next hop: the one before has no response.
    mutating func move(to request: URLRequest, _ chain: RedirectChain, after delay: Duration) -> Next {
        previousRequests += history.move(to: request, chain)
        (self.delay, isPrepared) = (delay, false)
        return beginNext()
    }

    /// Sends the hop again, with this request.
    mutating func resend(
        _ request: URLRequest, after delay: Duration, from question: PendingQuestion, isContentNew: Bool = false
    ) -> Next {
        guard isContentNew || request.isReplayable else {
            stage = .asking(question.asking(.contentAgain(request, after: delay)))
            return .askContent
        }
        self.delay = delay
        history.resendCount += 1
        isPrepared = false
        previousRequests += history.restart(with: request)
        return leave(question)
    }

    /// The response of the question is not the answer.
    private mutating func leave(_ question: PendingQuestion) -> Next {
        if case .underWay = question.ending {
            stage = .discarding(left: Self.maximumDiscardedContent)
            return .wait
        }
        return beginNext()
    }

    /// Returns the requests that are not needed any more, if there are many: for a caller that can release them.
    mutating func takePreviousRequests() -> [URLRequest] {
        guard previousRequests.count > RedirectPolicy.maximumRememberedHops else { return [] }
        defer { previousRequests = [] }
        return previousRequests
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
    }

    /// Returns what receives a copy of the content, once.
    mutating func takeTee() -> (any ContentTee)? { tee.take() }
}
