// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Numbers the questions of one task, of which at most one is open, so that only the first answer to the open one
/// counts.
struct QuestionBook {
    private var count: UInt64 = 0
    /// The number of the open question; 0 if none is open.
    private var open: UInt64 = 0
    private var isBeingAsked = false
    /// The answer that was given while the delegate was called.
    private var answer: DelegateResponse?
    /// Sources in answers. Each is finished once, however often it is given.
    private var given: [any BodySource] = []

    /// Opens a question. Call `asked` when the delegate has returned.
    mutating func ask() -> UInt64 {
        count &+= 1
        open = count
        isBeingAsked = true
        return count
    }

    /// Returns the answer, if the delegate gave it within the call.
    mutating func asked() -> DelegateResponse? {
        isBeingAsked = false
        return answer.take()
    }

    /// The effect of an answer.
    enum Reception {
        /// The task acts on it.
        case act
        /// The task acts on it when the delegate has returned.
        case kept
        /// None; content in it is finished unless it came before.
        case ignored(finishes: Bool)
    }

    mutating func received(_ answer: DelegateResponse, to number: UInt64) -> Reception {
        var isNew = true
        if case .content = answer, let source = answer.source { isNew = remember(source) }
        guard number == open else { return .ignored(finishes: isNew) }
        open = 0
        if !isBeingAsked { return .act }
        self.answer = answer
        return .kept
    }

    /// No answer counts any more.
    mutating func close() { open = 0 }

    /// False if the source came before.
    private mutating func remember(_ source: any BodySource) -> Bool {
        if given.contains(where: { $0 === source }) { return false }
        given.append(source)
        return true
    }
}

/// A pending question to the delegate, and the events since. An object, because few tasks need one.
final class PendingQuestion {
    enum Proposal {
        /// To follow a redirect.
        case redirect(RedirectRule.Redirection)
        /// To send the request again with credentials.
        case challenge(ChallengeProposal)
        /// To deliver the content of the response.
        case delivery
        /// To send this as the next hop, whose content can be read once and has been read. Without new content a
        /// redirect fails, and the response to any other request is the answer.
        case content(URLRequest, RedirectChain)
        /// The same, to send the hop again after a delay.
        case contentAgain(URLRequest, after: Duration)
        /// To send the hop again.
        case retry(RetryMetrics)
        /// None to the delegate: another attempt of the hop may have an answer.
        case otherAttempt
    }

    /// How the exchange ended while the delegate had not answered.
    enum Ending {
        case pending
        case complete
        case broken(SessionError.Reason, isSafeToRepeat: Bool)
    }

    let proposal: Proposal
    /// The head that the question is about, if it is decided anew in case the answer is no.
    let head: ResponseHead?
    /// Why there is no response.
    let failure: AttemptFailure?
    /// The request that continues a response that broke off: it is sent in place of the hop's.
    let rest: URLRequest?
    var ending = Ending.pending
    /// The response of the question, if none of it has been delivered.
    var response: HTTPURLResponse?

    init(
        _ proposal: Proposal, about head: ResponseHead? = nil, after failure: AttemptFailure? = nil,
        rest: URLRequest? = nil
    ) {
        (self.proposal, self.head, self.failure, self.rest) = (proposal, head, failure, rest)
    }

    /// The next question about the same response.
    func asking(_ proposal: Proposal) -> PendingQuestion {
        let next = PendingQuestion(proposal, after: failure, rest: rest)
        (next.ending, next.response) = (ending, response)
        return next
    }
}
