// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

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
    }

    /// How the exchange ended while the delegate had not answered.
    enum Ending {
        case underWay
        case complete
        case broken(SessionError.Reason, isSafeToRepeat: Bool)
    }

    let proposal: Proposal
    var ending = Ending.underWay
    /// The response of the question, if none of it has been delivered.
    var response: HTTPURLResponse?
    /// The fields that arrived after the content of that response.
    var trailers: (kept: HeaderFields, discarded: HeaderFields)?

    init(_ proposal: Proposal) { self.proposal = proposal }

    /// The next question about the same response.
    func asking(_ proposal: Proposal) -> PendingQuestion {
        let next = PendingQuestion(proposal)
        (next.ending, next.response, next.trailers) = (ending, response, trailers)
        return next
    }
}
