// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The adapter and the retrier of a manager, as a task's delegate sees them.
protocol TaskInterception: AnyObject, Sendable {
    var hasRetrier: Bool { get }
    /// Returns the request that is sent in place of this one.
    func adapt(_ request: URLRequest) throws -> URLRequest
    /// Returns a retry of the task's request; nil without a retrier, or if the task belongs to no request.
    func retry(of task: SessionTask) -> (any TaskRetry)?
}

/// One retry of a request, from the question to the retrier to the next task.
protocol TaskRetry: AnyObject, Sendable {
    /// Asks the retrier about an error. Calls `answer` once.
    func ask(about error: any Error, _ answer: @escaping RetryAnswer)
    /// Makes another task of the original request, and starts it.
    func perform()
}

/// A retrier's answer; the delay is in seconds.
typealias RetryAnswer = @Sendable (_ retries: Bool, _ delay: TimeInterval) -> Void
