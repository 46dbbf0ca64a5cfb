// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// A retry of a request: why it was made, and when.
public struct RetryMetrics: Sendable {
    /// Of more retries of a task these many are remembered: half of them the first ones, half of them the last.
    static let maximumRemembered = 64

    /// Adds it to the others of its task.
    func join(_ retries: inout [RetryMetrics]) {
        if retries.count == Self.maximumRemembered { retries.remove(at: Self.maximumRemembered / 2) }
        retries.append(self)
    }

    /// What an attempt has come to, so that another followed.
    public enum Cause: Sendable {
        /// A response with this status.
        case status(Int)
        /// No response.
        case failure(SessionError.Reason)
    }

    /// 1 for the first retry of the task; for the last one how many there were.
    public let number: Int
    /// What the attempt before it has come to.
    public let cause: Cause
    /// When that was.
    public let time: MonotonicInstant
    /// How long the retry waits since then.
    public internal(set) var delay: Duration

    /// Whether the connection is to blame.
    var needsUnusedConnection: Bool { if case .status(421) = cause { true } else { false } }
}

/// Why an attempt that was no success is not followed by a retry.
public enum RetryRefusal: String, Sendable, Hashable, CaseIterable {
    /// Another attempt would come to the same, by the policy's ``RetryPolicy/failures-swift.property`` and
    /// ``RetryPolicy/statusCodes``.
    case notTemporary = "not temporary"
    /// A server may have received the request, and may act on it twice: by its method, and ``RetryPolicy/requests-swift.property``.
    case method
    /// The content can be read once, and some of it was.
    case contentRead = "content read"
    /// The policy makes no retries: ``RetryPolicy/maximumRetries`` is 0.
    case off
    /// There were as many retries as ``RetryPolicy/maximumRetries`` allows.
    case attempts
    /// It would begin after ``RetryPolicy/maximumTime``, or when ``Timeouts/total`` is over.
    case time
    /// The server asks for a longer wait than ``RetryPolicy/maximumDelay``.
    case delay
    /// The host has had as many retries as ``RetryPolicy/budget-swift.property`` allows.
    case budget
    /// The ``CircuitBreaker`` holds requests to the server back for longer than the retry would wait.
    case circuitBreaker = "circuit breaker"
    /// The delegate has refused it.
    case delegate
}

extension [RetryMetrics] {
    /// How many there were, and why: of many the first three causes and the last three.
    var summary: String {
        let count = last?.number ?? 0
        var causes = map(\.cause.description)
        if causes.count > 8 { causes.replaceSubrange(3..<(causes.count - 3), with: ["…"]) }
        return "\(count == 1 ? "a retry" : "\(count) retries") because of \(causes.joined(separator: ", "))"
    }
}

/// A second attempt of a hop beside the first: see ``RetryPolicy/hedging``.
public struct HedgeMetrics: Sendable {
    /// When it began.
    public let start: MonotonicInstant
    /// Whether the response is its answer, and not that of the first attempt.
    public let isAnswer: Bool
}

extension RetryMetrics.Cause: CustomStringConvertible {
    /// The status, or the kind of the failure, such as `connection-lost`.
    public var description: String {
        switch self {
        case .status(let status): "\(status)"
        case .failure(let reason): reason.kind.rawValue
        }
    }
}
