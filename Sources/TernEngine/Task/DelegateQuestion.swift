// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A question that a task asks its delegate. Answer it once: at once, in the call that asks, or later, from any thread.
///
/// Until then the task waits, and its time limits go on. Further answers, and one that comes when the task is over,
/// count for nothing, and content that comes with them is finished; a question that is never answered ends with the
/// task.
public struct DelegateQuestion<Answer: Sendable>: Sendable {
    private let task: SessionTask
    private let number: UInt64
    private let loop: ReactorLoop
    private let form: @Sendable (Answer) -> DelegateResponse

    init(
        of task: SessionTask, _ number: UInt64, on loop: ReactorLoop,
        _ form: @escaping @Sendable (Answer) -> DelegateResponse
    ) {
        self.task = task
        self.number = number
        self.loop = loop
        self.form = form
    }

    /// Gives the answer.
    public func answer(_ answer: Answer) { self.answer(given: form(answer)) }

    private func answer(given: DelegateResponse) {
        if loop.isCurrent { return task.answered(number, given) }
        if !loop.execute({ [task, number] in task.answered(number, given) }) { given.source?.finish() }
    }
}

extension DelegateQuestion where Answer == ResponseAnswer {
    /// Has another request sent: the response is not the answer, and no delegate was told of it.
    func answer(instead request: URLRequest) { answer(given: .instead(request)) }
}
