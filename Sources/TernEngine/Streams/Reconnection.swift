// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// When a stream of events is resumed, and when it is over. A pure state machine.
struct Reconnection: ~Copyable {
    private enum Stage {
        /// No response has been a stream yet. Exits: streaming, over.
        case opening
        /// Exits: between, over.
        case streaming
        /// The stream has ended, and this number of consecutive attempts to resume it have failed. Exits: streaming,
        /// over.
        case between(failures: Int)
        /// Exit: none.
        case over
    }

    /// The action without a stream.
    enum Next {
        /// Wait, and send the request again.
        case ask(after: Duration)
        case end
        case fail(SessionError)
    }

    private let policy: ReconnectionPolicy
    private let retries: RetryPolicy
    private var stage = Stage.opening

    /// - Parameter retries: the policy of the first request, which alone is retried by the session. It says which responses
    ///   may be followed by a stream later on.
    init(_ policy: ReconnectionPolicy, _ retries: RetryPolicy = .lostConnections) {
        (self.policy, self.retries) = (policy, retries)
    }

    /// The policy of the next request: attempts to resume are planned here.
    var retryPolicy: RetryPolicy {
        var policy = retries
        if case .opening = stage { return policy }
        policy.maximumRetries = 0
        return policy
    }

    /// A response is a stream of events.
    mutating func opened() {
        switch stage {
        case .opening, .streaming, .between: stage = .streaming
        case .over: break
        }
    }

    /// The server asks the client not to reconnect (204).
    mutating func dismissed() { stage = .over }

    /// The stream has ended, with or without an error, or an attempt has failed, perhaps with an answer that is no stream.
    /// `retry` is the server's last reconnection time, in milliseconds.
    mutating func ended(_ error: SessionError?, answer: ResponseHead? = nil, retry: Int?) -> Next {
        let failures: Int
        switch stage {
        case .opening: return stop(error)
        case .streaming: failures = 0
        case .between(let count): failures = count + 1
        case .over: return stop(error)
        }
        let outcome = answer.map { RetryRule.Outcome(of: $0) } ?? error.map { RetryRule.Outcome(of: $0) }
        if let outcome, !(answer == nil ? outcome.mayPass : outcome.isRetried(by: retries)) { return stop(error) }
        if let limit = policy.maximumAttempts, failures >= limit { return stop(error) }
        stage = .between(failures: failures)
        return .ask(after: max(delay(failures, retry), min(outcome?.wait ?? .zero, policy.maximumDelay)))
    }

    private mutating func stop(_ error: SessionError?) -> Next {
        stage = .over
        return error.map { .fail($0) } ?? .end
    }

    private func delay(_ failures: Int, _ retry: Int?) -> Duration {
        let asked = retry.map { Duration.milliseconds($0) } ?? policy.delay
        let base = max(policy.minimumDelay, min(asked, policy.maximumDelay))
        let most = max(base, policy.maximumBackOff)
        return RetryPolicy.BackOff(base: base, maximum: most, jitter: .none).delay(
            RetryRule.Count(retries: failures), 1)
    }
}

/// Whether and when a stream of events is resumed after it has ended or was interrupted.
///
/// A server may set the delay (`retry`); after failed attempts the delay doubles. Permanent failures are not retried:
/// an untrusted server, a response that is not a stream of events. Each attempt is one request: the request's
/// ``RetryPolicy``, or the session's, retries the first one, and says after which status codes another attempt follows.
public struct ReconnectionPolicy: Sendable, Hashable {
    /// The delay, unless the server sets it.
    public var delay = Duration.seconds(3)
    /// The minimum delay, whatever the server sets.
    public var minimumDelay = Duration.milliseconds(100)
    /// The maximum delay that a server may set.
    public var maximumDelay = Duration.seconds(3600)
    /// The maximum of the doubled delay, if the server does not set a longer one.
    public var maximumBackOff = Duration.seconds(60)
    /// The maximum number of consecutive failed attempts; nil sets no limit, 0 never resumes a stream.
    public var maximumAttempts: Int?

    /// Creates a policy with default values for those not given.
    public init() {}

    /// Never resumes: a stream that ends is over, and an interrupted one is an error.
    public static var never: ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.maximumAttempts = 0
        return policy
    }
}
