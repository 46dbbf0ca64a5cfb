// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernLock

// On the reactor's thread: what the delegate is asked, and its answers.
extension SessionTask {
    /// Nothing of ours is half-changed while `call` runs. Gives the answer, if it came within the call.
    private func ask<Answer>(
        on loop: ReactorLoop, _ form: @escaping @Sendable (Answer) -> GivenAnswer, _ call: (Question<Answer>) -> Void
    ) -> GivenAnswer? {
        inquiry.count &+= 1
        inquiry.open = inquiry.count
        inquiry.isBeingAsked = true
        call(Question(of: self, inquiry.count, on: loop, form))
        inquiry.isBeingAsked = false
        return inquiry.answer.take()
    }

    /// An answer has come: the first one, and to the question that is open, counts.
    func answered(_ number: UInt64, _ answer: GivenAnswer) {
        let isNew = answer.source.map { inquiry.isNew($0) } ?? true
        guard number == inquiry.open else {
            if isNew { answer.source?.finish() }
            return
        }
        inquiry.open = 0
        if inquiry.isBeingAsked { inquiry.answer = answer } else { obey(answer) }
    }

    private func obey(_ answer: GivenAnswer?) {
        // Objects of the user's go last, when nothing of ours is half changed.
        let former = plan.takeFormer()
        defer { withExtendedLifetime(former) {} }
        switch answer {
        case nil: updatePause()
        case .redirect(.follow(let request)): follow(decided(plan.answered(request)))
        case .redirect(.deliver): follow(plan.answered(nil))
        case .challenge(.authorization(let value)): follow(decided(plan.answered(authorization: value)))
        case .challenge(.deliver): follow(plan.answered(authorization: nil))
        case .content(.content) where !plan.isAsking: answer?.source?.finish()
        case .content(.content(let content)): follow(decided(plan.answered(content: content)))
        case .content(.unavailable): follow(plan.answered(content: nil))
        case .disposition(.allow): follow(plan.allowed())
        case .disposition(.cancel): if let connection { connection.end(.cancelled) } else { cancel() }
        case .disposition(.becomeDownload):
            let successor = response.flatMap(download) ?? self
            successor.follow(successor.plan.allowed())
        case .instead(let request): ask(request)
        }
    }

    /// A response that was not the answer is history.
    private func decided(_ next: TaskPlan.Next) -> TaskPlan.Next {
        if plan.isAsking { return next }
        guard let aside, let response = aside.undecided.take() else { return next }
        aside.undecidedTrailers = nil
        aside.remember(response)
        let request = plan.hop.request
        shared.withLock { $0.currentRequest = request }
        return next
    }

    /// What is rare is needed now.
    @discardableResult
    func needAside() -> Aside {
        if let aside { return aside }
        let made = Aside()
        aside = made
        return made
    }

    /// Also after the connection has gone.
    private var loop: ReactorLoop? { connection?.loop ?? shared.withLock { $0.shard }?.loop }

    func ask(about request: URLRequest, _ response: HTTPURLResponse) {
        guard let loop = connection?.loop else { return }
        needAside().undecided = response
        obey(
            ask(on: loop, { .redirect($0) }) {
                delegate.task(self, willPerformHTTPRedirection: response, newRequest: request, $0)
            })
    }

    func askForCredentials(_ response: HTTPURLResponse) {
        guard let loop = connection?.loop, let origin = try? plan.hop.request.destination.get().origin else { return }
        needAside().undecided = response
        let challenge = AuthenticationChallenge(
            response: response, origin: origin, challenges: response.head.fields.values(for: "WWW-Authenticate"),
            previousFailureCount: plan.challengeCount, hasLeftOrigin: !plan.hop.mayCarryCredentials)
        obey(ask(on: loop, { .challenge($0) }) { delegate.task(self, didReceive: challenge, $0) })
    }

    func askForContent() {
        guard let loop else { return }
        obey(ask(on: loop, { .content($0) }) { delegate.task(self, needsNewContent: $0) })
    }

    /// Asks something else than was answered.
    private func ask(_ request: URLRequest) {
        aside?.path = BodyPath()
        aside?.decodingError = nil
        aside?.undecidedTrailers = nil
        shared.withLock { state in
            state.response = nil
            state.currentRequest = request
        }
        follow(plan.answered(instead: request))
    }

    /// The response is the answer. Gives the task that goes on with it, if that is another one.
    @discardableResult
    func deliver(_ undecoded: consuming HTTPURLResponse) -> SessionTask? {
        var response = undecoded
        prepareDecoding(&response)
        shared.withLock { $0.response = response }
        guard let loop else { return nil }
        let answer = ask(on: loop, { .disposition($0) }) { delegate.task(self, didReceive: response, $0) }
        switch answer {
        case .disposition(.allow): break
        case .disposition(.cancel): connection?.end(.cancelled)
        case .disposition(.becomeDownload): return download(of: response)
        case .instead(let request):
            plan.awaitDisposition()
            ask(request)
        default:
            guard plan.isDelivering else { break }
            plan.awaitDisposition()
            needAside()
            updatePause()
        }
        return nil
    }
}
