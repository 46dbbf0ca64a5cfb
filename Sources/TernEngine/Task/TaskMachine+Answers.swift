// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

// Answers of the delegate
extension TaskMachine {
    /// The delegate was asked about a redirect and names the next request; nil if the response is the answer.
    mutating func answered(_ request: URLRequest?) -> Next {
        guard case .asking(let question) = stage, case .redirect(var redirection) = question.proposal else {
            return .wait
        }
        guard let request else { return deliver(question) }
        redirection.chain.visit(request)
        return move(to: request, redirection.chain, from: question)
    }

    /// The delegate was asked for credentials and gives an `Authorization` field; nil if it has none.
    mutating func answered(authorization: HeaderField?) -> Next {
        guard case .asking(let question) = stage, case .challenge = question.proposal else { return .wait }
        guard let authorization else { return deliver(question) }
        history.challengeCount += 1
        var request = history.request
        request.headers.replace(with: authorization)
        return move(to: request, history.chain, from: question)
    }

    /// The delegate was asked for credentials and gives a name and a password.
    mutating func answered(_ credential: PasswordCredential) -> Next {
        guard case .asking(let question) = stage, case .challenge = question.proposal else { return .wait }
        let fields = question.response?.head.bytes(for: "WWW-Authenticate") ?? []
        let login = PasswordLogin(credential, for: hop.request, answering: fields)
        let authorization = login?.authorization(for: history.subject)
        if authorization != nil { history.login = login }
        return answered(authorization: authorization)
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
        case .underWay:
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
