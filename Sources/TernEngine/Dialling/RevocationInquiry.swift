// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernTLS

/// One handshake's questions about revocation: answered on other threads, delivered on its loop's thread, and bounded
/// in time as a whole, so that an unresponsive responder leaves time to connect.
///
/// Used only on the loop's thread, hence `@unchecked Sendable`: answers come through its mailbox.
final class RevocationInquiry: ReadinessHandler, @unchecked Sendable {
    typealias Answers = [RevocationQuestion: RevocationAnswer]

    private let shared: SharedSettings
    private var deadline: MonotonicInstant?
    private var timer: RegistrationToken?
    private var waiting: Set<RevocationQuestion> = []
    private var answers = Answers()
    private var completion: ((Answers) -> Void)?

    init(_ shared: SharedSettings) { self.shared = shared }

    /// Calls `completion` later, with the answers so far, when all have arrived or the timeout has passed; unless it is
    /// cancelled first.
    func ask(_ questions: [RevocationQuestion], completion: @escaping (Answers) -> Void) {
        let limit = min(RevocationFetcher.timeLimit, shared.configuration.timeouts.connect / 2)
        let deadline = deadline ?? .now.advanced(by: limit)
        self.deadline = deadline
        self.completion = completion
        waiting = Set(questions)
        answers = [:]
        let timer = shared.loop.registerTimer(handler: self)
        shared.loop.setDeadline(deadline, for: timer)
        self.timer = timer
        for question in questions {
            shared.trust.revocation.ask(question) { [weak self, loop = shared.loop] answer in
                guard let self else { return }
                loop.execute { self.take(answer, to: question) }
            }
        }
    }

    func cancel() {
        completion = nil
        if let timer = timer.take() { shared.loop.deregister(timer) }
    }

    func distrust(_ questions: [RevocationQuestion]) {
        if !questions.isEmpty { shared.trust.revocation.distrust(questions) }
    }

    /// The deadline is the only event.
    func ready(_ readiness: Readiness) { finish() }

    private func take(_ answer: RevocationAnswer, to question: RevocationQuestion) {
        // An answer to an earlier question may arrive too late.
        guard waiting.remove(question) != nil else { return }
        answers[question] = answer
        if waiting.isEmpty { finish() }
    }

    private func finish() {
        let completion = completion
        cancel()
        completion?(answers)
    }
}
