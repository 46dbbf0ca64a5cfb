// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A question of a task to its delegate. Answer it once: at once, within the call, or later, from any thread.
///
/// Until then the task waits, and its timeouts continue. Further answers, and one after the end of the task, have no
/// effect, and content in them is finished; a question without an answer ends with the task.
public struct DelegateQuestion<Answer: Sendable>: Sendable {
    private let asker: any DelegateAsker
    private let number: UInt64
    private let loop: ReactorLoop
    private let form: @Sendable (Answer) -> DelegateResponse

    init(
        of asker: any DelegateAsker, _ number: UInt64, on loop: ReactorLoop,
        _ form: @escaping @Sendable (Answer) -> DelegateResponse
    ) {
        self.asker = asker
        self.number = number
        self.loop = loop
        self.form = form
    }

    /// Gives the answer.
    public func answer(_ answer: Answer) { self.answer(given: form(answer)) }

    private func answer(given: DelegateResponse) {
        if loop.isCurrent { return asker.answered(number, given) }
        if !loop.execute({ [asker, number] in asker.answered(number, given) }) { given.source?.finish() }
    }
}

/// Asks its delegate questions, which are numbered. On its loop's thread.
protocol DelegateAsker: AnyObject, Sendable {
    /// The question of this number has an answer. Called once per answer.
    func answered(_ number: UInt64, _ answer: DelegateResponse)
}

extension DelegateQuestion where Answer == ResponseAnswer {
    /// Sends another request instead: the response is not the answer, and no delegate received it.
    func answer(instead request: URLRequest) { answer(given: .instead(request)) }
}
