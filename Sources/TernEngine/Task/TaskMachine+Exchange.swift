// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

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
        case challenge
        /// Ask for new content, likewise.
        case askContent
        /// Give up.
        case fail(SessionError.Reason)
    }

    mutating func head(_ head: ResponseHead) -> HeadAnswer {
        guard case .exchanging = stage else { return .discard }
        guard head.status < 300, !policies.readsAllHeads else { return decide(on: head) }
        stage = .delivering
        return .deliver
    }

    private mutating func decide(on head: ResponseHead) -> HeadAnswer {
        var tee: (any ContentTee)?
        let isUnsuccessful = head.status >= 300
        for policy in policies.reading where isUnsuccessful || policy.interests.contains(.allHeads) {
            policy.learn(head, &history)
        }
        for policy in policies.reading where isUnsuccessful || policy.interests.contains(.allHeads) {
            switch policy.decide(on: head, &history) {
            case .pass: continue
            case .copy(let other): tee = other
            case .ask(.redirect(let redirection)):
                stage = .asking(PendingQuestion(.redirect(redirection)))
                return .ask(redirection.request)
            case .ask(.challenge):
                stage = .asking(PendingQuestion(.challenge))
                return .challenge
            case .next(let request):
                let question = PendingQuestion(.content(request, history.chain))
                question.response = HTTPURLResponse(
                    url: history.hop.request.url, head: head, history: history.responses)
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
        self.tee = tee
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
        return beginNext()
    }

    /// The exchange is complete.
    mutating func ended() -> Next {
        switch stage {
        case .delivering:
            stage = .ending
            return .complete
        case .discarding: return beginNext()
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
        case .discarding where isLost: return beginNext()
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
            case .next(let request, let delay):
                guard request.isReplayable else {
                    previousRequests.append(request)
                    return nil
                }
                return recover(with: request, after: delay)
            case .fail(let reason):
                stage = .ending
                return .fail(reason, isSafeToRepeat: false)
            }
        }
        return nil
    }

    private mutating func recover(with request: URLRequest, after delay: Duration) -> Next {
        var chain = history.chain
        for request in [history.hop.request, request] {
            if let origin = try? request.destination.get().origin { chain.visit(origin) }
        }
        return move(to: request, chain, after: delay)
    }

    /// Whether the server treats the current request and a second one as one.
    func isSafeToRepeat(wasSent: Bool) -> Bool {
        RepeatRule.isSafeToRepeat(history.evidence(Evidence(isSent: wasSent)))
    }
}
