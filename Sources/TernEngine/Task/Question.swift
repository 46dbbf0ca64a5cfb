// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A question that a task asks its delegate. Answer it once: at once, in the call that asks, or later, from any thread.
///
/// Until then the task waits, and its time limits go on. Further answers, and one that comes when the task is over, count for
/// nothing; a question that is never answered ends with the task.
public struct Question<Answer: Sendable>: Sendable {
    private let task: SessionTask
    private let number: UInt64
    private let loop: ReactorLoop
    private let form: @Sendable (Answer) -> GivenAnswer

    init(
        of task: SessionTask, _ number: UInt64, on loop: ReactorLoop,
        _ form: @escaping @Sendable (Answer) -> GivenAnswer
    ) {
        self.task = task
        self.number = number
        self.loop = loop
        self.form = form
    }

    /// Gives the answer.
    public func answer(_ answer: Answer) {
        let given = form(answer)
        if loop.isCurrent { return task.answered(number, given) }
        loop.execute { [task, number] in task.answered(number, given) }
    }
}

/// Where to go when a response sends the task elsewhere.
public enum RedirectAnswer: Sendable {
    /// Ask this: the request that was proposed, or another.
    case follow(URLRequest)
    /// Nowhere: the redirect is the answer, and its body is delivered.
    case deliver
}

/// What to do with a response whose head has come.
public enum ResponseDisposition: Sendable {
    /// Deliver its body.
    case allow
    /// Cancel the task.
    case cancel
}

/// What to do when a server asks for credentials (RFC 9110 §11).
public enum ChallengeAnswer: Sendable {
    /// Ask again with an `Authorization` field of this value, such as `Bearer …`. It goes to this origin only.
    case authorization(String)
    /// Deliver the response like any other.
    case deliver
}

/// What to send where a request's content has to be sent again and can be read once only.
public enum ContentAnswer: Sendable {
    /// This.
    case content(RequestContent)
    /// There is no more of it: the task fails.
    case unavailable
}

/// An answer to any question.
enum GivenAnswer: Sendable {
    case redirect(RedirectAnswer)
    case disposition(ResponseDisposition)
    case challenge(ChallengeAnswer)
    case content(ContentAnswer)
}
