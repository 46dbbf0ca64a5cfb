// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// Shows the verdict about one server to the session's delegate and, if that leaves it to others, to the delegate of
/// the task that the connection is for. Each has a timeout of its own.
///
/// Used only on the loop's thread, hence `@unchecked Sendable`: answers come through its mailbox. Delegates are called
/// in an event-loop tick of their own, while no other operation is in progress.
final class TrustInquiry: ReadinessHandler, @unchecked Sendable {
    enum Outcome {
        case answered(ServerTrustAnswer)
        /// There is no answer, for this reason.
        case unanswered(SessionError.Reason)
    }

    private enum Level {
        case session, task

        var limit: SessionError.TimeLimit {
            switch self {
            case .session: .sessionChallenge
            case .task: .taskChallenge
            }
        }
    }

    private let server: HTTPOrigin
    private let shared: SharedSettings
    private weak var owner: Dialler?
    private var challenge: ServerTrustChallenge?
    private var completion: ((Outcome) -> Void)?
    private var level = Level.session
    /// The number of the open question.
    private var number = 0
    private var timer: RegistrationToken?
    /// The task that was asked last.
    private weak var asked: (any TrustRespondent)?
    private var isOver = false

    /// Nil if no delegate wants to be asked.
    init?(about server: HTTPOrigin, _ shared: SharedSettings, owner: Dialler) {
        guard shared.trust.respondent?.answersServerTrust == true || owner.respondent?.answersServerTrust == true
        else { return nil }
        self.server = server
        self.shared = shared
        self.owner = owner
    }

    /// Calls `completion` once, later, unless it is cancelled.
    func ask(_ pending: PendingVerdict, completion: @escaping (Outcome) -> Void) {
        challenge = ServerTrustChallenge(pending, about: server)
        self.completion = completion
        owner?.inquiryBegan(pending.result)
        shared.loop.execute { self.askSession() }
    }

    func cancel() {
        completion = nil
        challenge = nil
        withdraw()
    }

    /// Another task has taken over the connection: its delegate is asked instead.
    func respondentChanged() {
        if completion != nil, level == .task { shared.loop.execute { self.askTask() } }
    }

    /// The deadline is the only event.
    func ready(_ readiness: Readiness) { finish(.unanswered(.timedOut(level.limit))) }

    private func askSession() {
        guard completion != nil else { return }
        level = .session
        guard let session = shared.trust.respondent, session.answersServerTrust else { return askTask() }
        ask(session)
    }

    private func askTask() {
        guard completion != nil else { return }
        level = .task
        // A connection that no task waits for is closed: the next task may answer differently.
        asked = owner?.respondent
        guard let task = asked else { return finish(.unanswered(.cancelled)) }
        guard task.answersServerTrust else { return finish(.answered(.performDefaultHandling)) }
        ask(task)
    }

    private func ask(_ respondent: any TrustRespondent) {
        guard let challenge else { return }
        withdraw()
        let timer = shared.loop.registerTimer(handler: self)
        let deadline = shared.loop.exactNow.advanced(by: shared.configuration.challengeTimeout)
        shared.loop.setDeadline(deadline, for: timer)
        self.timer = timer
        respondent.answer(
            challenge,
            ServerTrustQuestion { [weak self, loop = shared.loop, number] disposition in
                guard let self else { return }
                loop.execute { self.answered(number, disposition) }
            })
    }

    private func answered(_ number: Int, _ disposition: ServerTrustAnswer) {
        guard number == self.number, completion != nil else { return }
        if case .performDefaultHandling = disposition, level == .session { return askTask() }
        finish(.answered(disposition))
    }

    private func finish(_ outcome: Outcome) {
        let completion = completion
        isOver = true
        cancel()
        owner?.inquiryEnded()
        completion?(outcome)
    }

    /// An answer to the last question comes too late.
    private func withdraw() {
        number &+= 1
        if let timer = timer.take() { shared.loop.deregister(timer) }
    }
}

extension TrustInquiry {
    /// Whether the result applies to `task`: a session's delegate answers for all of its tasks, a task's for one.
    func isOver(for task: any TrustRespondent) -> Bool { isOverForSession || isOver && asked === task }

    /// Whether the result applies to all tasks of the session.
    var isOverForSession: Bool { isOver && level == .session }
}
