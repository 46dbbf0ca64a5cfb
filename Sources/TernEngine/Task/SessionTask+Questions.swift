// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernLock

// On the reactor's thread: questions to the delegate, and its answers.
extension SessionTask: DelegateAsker {
    /// A new question to the delegate. No state of the task is half changed when it is asked.
    private func question<Answer>(
        on loop: ReactorLoop, _ form: @escaping @Sendable (Answer) -> DelegateResponse
    ) -> DelegateQuestion<Answer> {
        DelegateQuestion(of: self, machine.ask(), on: loop, form)
    }

    /// Asks the delegate. Returns its answer, if that came within the call.
    private func ask(_ question: TaskEvent) -> DelegateResponse? {
        delegate.handle(question, of: self)
        return machine.asked()
    }

    /// An answer has arrived: the first one to the open question counts.
    func answered(_ number: UInt64, _ answer: DelegateResponse) {
        switch machine.received(answer, to: number) {
        case .act: act(on: answer)
        case .kept, .ignored(finishes: false): break
        case .ignored(finishes: true): answer.source?.finish()
        }
    }

    private func act(on answer: DelegateResponse?) {
        // User objects are released last, when no state of the task is half changed.
        let previous = machine.takePreviousRequests()
        defer { withExtendedLifetime(previous) {} }
        switch answer {
        case nil: updatePause()
        case .redirect(.follow(let request)): move(machine.answered(request))
        case .redirect(.deliver): follow(machine.answered(nil))
        case .challenge(let answer): move(machine.answered(answer))
        case .content(.content) where !machine.isAsking: answer?.source?.finish()
        case .content(.content(let content)): move(machine.answered(content: content))
        case .content(.unavailable): follow(machine.answered(content: nil))
        case .disposition(.allow): follow(machine.allowed())
        case .disposition(.cancel): if let carrier { carrier.end(.cancelled) } else { cancel() }
        case .disposition(.becomeDownload):
            let successor = response.flatMap(download) ?? self
            successor.follow(successor.machine.allowed())
        case .instead(let request): send(instead: request)
        }
    }

    /// The task continues with another request.
    func move(_ next: TaskMachine.Next) {
        if !machine.isAsking {
            let request = machine.hop.request
            lifecycle.withLock { $0.currentRequest = request }
        }
        follow(next)
    }

    func ask(about request: URLRequest, _ response: HTTPURLResponse) {
        guard let loop = carrier?.loop else { return }
        machine.question?.response = response
        act(on: ask(.redirect(response, request, question(on: loop) { .redirect($0) })))
    }

    func askForCredentials(_ proposal: ChallengeProposal, _ response: HTTPURLResponse) {
        guard let loop = carrier?.loop, let origin = try? machine.hop.request.destination.get().origin else { return }
        machine.question?.response = response
        let challenge = AuthenticationChallenge(
            response: response, origin: origin, challenges: response.head.values(for: "WWW-Authenticate"),
            previousFailureCount: proposal.previousFailureCount, hasLeftOrigin: !machine.hop.mayCarryCredentials)
        act(on: ask(.challenge(challenge, question(on: loop) { .challenge($0) })))
    }

    func askForContent() {
        guard let loop else { return }
        act(on: ask(.newBody(question(on: loop) { .content($0) })))
    }

    private func send(instead request: URLRequest) {
        decoding = nil
        lifecycle.withLock { state in
            state.response = nil
            state.currentRequest = request
        }
        follow(machine.answered(instead: request))
    }

    /// Delivers the content held while the delegate had not answered.
    func deliver(_ question: PendingQuestion, _ isComplete: Bool) {
        if let response = question.response {
            question.response = nil
            if let successor = deliver(response) { return successor.deliver(question, isComplete) }
            // The delegate may have been asked about the content.
            if let next = machine.question {
                next.trailers = question.trailers
                return
            }
        }
        if let (trailers, discarded) = question.trailers { tell(trailers, discarded) }
        if isComplete { end(nil) } else { updatePause() }
    }

    /// The response is the answer. Returns the task that continues with it, if that is another one.
    @discardableResult
    func deliver(_ undecoded: consuming HTTPURLResponse) -> SessionTask? {
        var response = undecoded
        if originalRequest.decodesContent ?? defaults.decodesContent {
            decoding = ContentDecoding.decoding(of: &response, limits: defaults.contentDecodingLimits)
        }
        lifecycle.withLock { $0.response = response }
        guard let loop else { return nil }
        switch ask(.response(response, question(on: loop) { .disposition($0) })) {
        case .disposition(.allow): break
        case .disposition(.cancel): carrier?.end(.cancelled)
        case .disposition(.becomeDownload): return self.response.flatMap(download)
        case .instead(let request):
            machine.awaitDisposition()
            send(instead: request)
        default:
            guard machine.isDelivering else { break }
            machine.awaitDisposition()
            updatePause()
        }
        return nil
    }
}
