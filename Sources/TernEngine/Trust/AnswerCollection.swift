// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO
import TernTLS

/// Waits for all answers or for the deadline, whichever is first, and reports once.
final class AnswerCollection: Sendable {
    typealias Completion = @Sendable (RevocationFetcher.Answers) -> Void

    private struct State {
        var answers = RevocationFetcher.Answers()
        var completion: Completion?
        var timer: Task<Void, Never>?
    }

    private let count: Int
    private let state: Lock<State>

    init(count: Int, until deadline: ContinuousClock.Instant, completion: @escaping Completion) {
        self.count = count
        state = Lock(State(completion: completion))
        let timer = Task {
            try? await ContinuousClock().sleep(until: deadline)
            finish()
        }
        state.withLock { $0.timer = timer }
    }

    func add(_ answer: RevocationAnswer, to question: RevocationQuestion) {
        let isComplete = state.withLock { state in
            state.answers[question] = answer
            return state.answers.count >= count
        }
        if isComplete { finish() }
    }

    private func finish() {
        let (completion, answers, timer) = state.withLock { state in
            (state.completion.take(), state.answers, state.timer.take())
        }
        timer?.cancel()
        completion?(answers)
    }
}
