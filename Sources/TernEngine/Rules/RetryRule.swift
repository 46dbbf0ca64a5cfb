// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import TernHTTP1

/// Whether a request is sent again, and when: the only rule of it. Every place that sends requests again asks it, with a
/// policy of its own.
package struct RetryRule: Sendable {
    package var policy: RetryPolicy

    package init(_ policy: RetryPolicy) { self.policy = policy }

    /// The outcome of an attempt that is no success, made of the whole of it: the rule alone picks what counts.
    package struct Outcome: Sendable {
        private enum Content {
            case answered(ResponseHead)
            case failed(SessionError.Reason)
        }

        private let content: Content

        package init(of head: ResponseHead) { content = .answered(head) }

        package init(of failure: SessionError) { content = .failed(failure.reason) }

        init(of failure: AttemptFailure) { content = .failed(failure.reason) }

        func isTemporary(by policy: RetryPolicy) -> Bool {
            switch content {
            case .answered(let head): policy.statusCodes.contains(head.status)
            case .failed(let reason): RetryPolicy.Failures(of: reason).map(policy.failures.contains) ?? false
            }
        }

        /// Whether a session with this policy plans what follows.
        package func isRetried(by policy: RetryPolicy) -> Bool { policy.maximumRetries > 0 && isTemporary(by: policy) }

        /// Whether the same may succeed later, for who waits without end: also what is held back here for a while, and what a
        /// proxy could not do now.
        var mayPass: Bool {
            switch content {
            case .failed(.connecting(.circuitOpen)), .failed(.connecting(.queueFull)): true
            case .failed(.connecting(.proxy(let error))): error.isTemporary
            case .answered, .failed: isTemporary(by: .standard)
            }
        }

        /// The task has run for as long as it may.
        package var isOutOfTime: Bool { if case .failed(.timedOut(.total)) = content { true } else { false } }

        /// 421: the server has not processed the request, because of the connection on which it came; any request may be
        /// sent again on another (RFC 9110 §15.5.20).
        var isMisdirected: Bool { if case .answered(let head) = content { head.status == 421 } else { false } }

        /// What the response asks for, a proxy's, too. Until the next probe, a circuit breaker lets nothing pass.
        var wait: Duration? {
            switch content {
            case .answered(let head): RetryRule.wait(askedBy: head)
            case .failed(.connecting(.proxy(.refused(let refusal)))): RetryRule.wait(askedBy: refusal.head)
            case .failed(.connecting(.circuitOpen(let circuit))): circuit.delay
            case .failed: nil
            }
        }
    }

    /// What follows from it.
    package enum Verdict: Sendable, Hashable {
        case retry(after: Duration)
        case end(RetryRefusal)
    }

    /// The number of retries that were made, and how long the last of them has waited.
    package struct Count: Sendable, Hashable {
        package var retries = 0
        package var delay = Duration.zero
        /// One of them was made because the connection was not the right one for the request.
        package var wasMisdirected = false

        package init(retries: Int = 0, delay: Duration = .zero) { (self.retries, self.delay) = (retries, delay) }

        package mutating func add(_ delay: Duration) { (retries, self.delay) = (retries + 1, delay) }
    }

    /// - Parameters:
    ///   - facts: about the request whose outcome it is.
    ///   - elapsed: since the first attempt began.
    ///   - unit: a random number from 0 to 1.
    package func verdict(
        on outcome: Outcome, _ facts: Facts, _ count: Count, elapsed: Duration, unit: Double = .random(in: 0...1)
    ) -> Verdict {
        guard outcome.isTemporary(by: policy) else { return .end(.notTemporary) }
        let isMisdirected = outcome.isMisdirected
        if isMisdirected, count.wasMisdirected { return .end(.notTemporary) }
        guard policy.maximumRetries > 0 else { return .end(.off) }
        guard facts.isContentReplayable else { return .end(.contentRead) }
        guard isMisdirected || isSafeToRepeat(facts) else { return .end(.method) }
        guard count.retries < policy.maximumRetries else { return .end(.attempts) }
        // The connection was the reason, and not the load of the server.
        var delay = isMisdirected ? .zero : policy.backOff.delay(count, unit)
        if policy.honorsRetryAfter, let wait = outcome.wait { delay = max(delay, wait) }
        if delay > policy.maximumDelay { return .end(.delay) }
        if let maximum = policy.maximumTime, elapsed > maximum || elapsed + delay > maximum { return .end(.time) }
        return .retry(after: delay)
    }

    /// The facts about a request without a response, or with a partial one.
    package struct Facts: Sendable, Hashable {
        package var method: String
        /// The request has an `Idempotency-Key` field: the server recognises a repeat by it.
        package var hasIdempotencyKey = false
        /// The content can be sent from its beginning: there is none, it can be read again, or it has not been read.
        var isContentReplayable = true
        /// The connection had carried another exchange before.
        var wasConnectionReused: Bool
        /// A byte of the request may have reached the server.
        var wasSent: Bool
        /// A byte of a response had arrived, including an informational one's.
        var wasAnswered: Bool
        /// This is the repeat.
        var wasRepeated: Bool
    }

    /// Whether a request whose connection was lost is repeated transparently.
    ///
    /// A kept-alive connection that dies before the first byte of a response was most likely closed by the server before
    /// the request arrived (RFC 9112 §9.3.1). That is certain only if no byte had been sent; otherwise the request may have
    /// been processed, and is repeated only if that is safe, or if the policy takes that risk. Once, and only if a
    /// kept-alive connection explains the loss: a server that closes new connections, or closes in the middle of a
    /// response, does so again.
    func repeats(_ evidence: Facts) -> Bool {
        guard policy.repeatsLostRequests, policy.requests != .none else { return false }
        guard evidence.wasConnectionReused, !evidence.wasAnswered, !evidence.wasRepeated else { return false }
        return evidence.isContentReplayable && (policy.repeatsLostPosts || isSafeToRepeat(evidence))
    }

    /// Returns whether the request can be sent again, and without a second effect.
    func isRepeatable(_ evidence: Facts) -> Bool { evidence.isContentReplayable && isSafeToRepeat(evidence) }

    /// Returns whether the caller may send the same request again without a second effect; an error reports it.
    package func isSafeToRepeat(_ evidence: Facts) -> Bool {
        if !evidence.wasSent { return true }
        return switch policy.requests {
        case .all: true
        case .none: false
        case .idempotent: evidence.hasIdempotencyKey || Self.isIdempotent(evidence.method)
        case .methods(let methods): evidence.hasIdempotencyKey || methods.contains(evidence.method)
        }
    }

    /// RFC 9110 §9.2.2. Methods are case-sensitive (§9.1), and an unknown method is not known to be idempotent.
    private static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        default: false
        }
    }
}

extension RetryRule.Facts {
    /// About a request that is made again as a whole, with its content.
    ///
    /// - Parameter wasSent: whether a byte of it may have reached a server.
    package init(ofWhole request: URLRequest, wasSent: Bool = true) {
        self.init(
            method: request.method, hasIdempotencyKey: request.headers["Idempotency-Key"] != nil,
            wasConnectionReused: false, wasSent: wasSent, wasAnswered: false, wasRepeated: false)
    }
}

extension RetryPolicy.BackOff {
    /// A retry waits for a moment at least: a server that refuses must not be asked in a loop.
    private static let least = Duration.milliseconds(1)

    /// A thousand years: so that no sum or multiple of times overflows.
    fileprivate static let most = Duration.seconds(30_000_000_000)

    /// How long the next retry waits.
    ///
    /// - Parameter unit: a number from 0 to 1, which chooses.
    func delay(_ count: RetryRule.Count, _ unit: Double) -> Duration {
        let maximum = max(.zero, min(maximum, Self.most))
        let base = max(.zero, min(base, maximum))
        let chosen =
            switch jitter {
            case .none: limit(after: count.retries, base, maximum)
            case .full: limit(after: count.retries, base, maximum) * unit
            case .decorrelated: min(maximum, base + (max(base, min(count.delay, maximum) * 3) - base) * unit)
            }
        return max(Self.least, chosen)
    }

    /// The longest wait after this number of retries.
    private func limit(after retries: Int, _ base: Duration, _ maximum: Duration) -> Duration {
        if factor <= 1 { return base }
        var limit = base
        // It is doubled at least each time, so 128 times lead from the shortest wait to the longest.
        for _ in 0..<max(0, min(retries, 128)) where limit < maximum {
            limit = limit > maximum / factor ? maximum : limit * factor
        }
        return limit
    }
}

extension RetryPolicy.Failures {
    /// The group of a failure; nil for what ends a request for good, such as a cancellation.
    package init?(of reason: SessionError.Reason) {
        switch reason {
        case .cancelled, .sessionInvalidated, .request: return nil
        case .program(let failure): self.init(ofURLError: failure.code)
        case .transfer(.provider(let error)) where error._domain == "NSURLErrorDomain":
            self.init(ofURLError: error._code)
        case .timedOut(.total): self = .outOfTime
        case .timedOut: self = .timedOut
        case .transfer(.connectionLost): self = .connectionLost
        case .transfer, .download, .response, .system: self = .other
        case .connecting(let failure): self.init(of: failure)
        }
    }

    /// The group that a code of URLSession stands for, which a program's own response ends with.
    private init?(ofURLError code: Int) {
        switch code {
        // Cancelled, or a URL that cannot be requested.
        case -999, -1000, -1002: return nil
        case -1001: self = .timedOut
        // The host cannot be found, or its name cannot be looked up.
        case -1003, -1006: self = .unresolved
        case -1004: self = .refused
        case -1005: self = .connectionLost
        // There is no network, or none that may be used.
        case -1009, -1018, -1019, -1020: self = .unreachable
        default: self = .other
        }
    }

    private init(of failure: SessionError.ConnectingFailure) {
        switch failure {
        // Another try finds no address of the family either.
        case .unresolved(let error): self = error.reason == .otherFamily ? .other : .unresolved
        case .unreachable(let error):
            self = error.isRefusal ? .refused : .unreachable
        case .dialer(let error): self = error.reason == .failed ? .dialer : .other
        case .proxy: self = .proxy
        case .queueFull, .circuitOpen, .egressRefused, .socketOption, .insecure, .invalidProxy: self = .other
        }
    }
}

extension RetryRule {
    /// How long a response asks to wait (RFC 9110 §10.2.3): by `Retry-After`, seconds or a date, and of several the longest;
    /// without it by `RateLimit-Reset`, if `RateLimit-Remaining` is 0. Nil without a valid field. A date in the past asks
    /// for nothing.
    ///
    /// - Parameter now: seconds since 1970.
    package static func wait(
        askedBy head: ResponseHead, now: @autoclosure () -> Double = Date().timeIntervalSince1970
    ) -> Duration? {
        // By the clock of the server, which may differ from the one here.
        func date() -> Double { head.values(for: "Date").first.flatMap(HTTPDate.seconds).map(Double.init) ?? now() }
        if let wait = wait(retryAfter: head.values(for: "Retry-After"), now: date()) { return wait }
        guard head.values(for: "RateLimit-Remaining").first == "0",
            let reset = head.values(for: "RateLimit-Reset").first.flatMap(seconds)
        else { return nil }
        return reset
    }

    /// The same by the values of `Retry-After`. `now` is evaluated for a date.
    package static func wait(retryAfter values: some Sequence<String>, now: @autoclosure () -> Double) -> Duration? {
        // More than a few are no answer of a server that means one.
        values.prefix(4).compactMap { seconds($0) ?? HTTPDate.seconds($0).map { duration(Double($0) - now()) } }.max()
    }

    /// A number of seconds in digits, however many: what is longer than a thousand years is a thousand years. Servers send
    /// fractions, which RFC 9110 has not: they are rounded up.
    private static func seconds(_ text: String) -> Duration? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ".") }
        guard !digits.isEmpty, digits.count + 1 >= text.utf8.count, digits.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Double(text).map { duration($0.rounded(.up)) }
    }

    private static func duration(_ seconds: Double) -> Duration {
        min(RetryPolicy.BackOff.most, .seconds(min(max(0, seconds), 1e11)))
    }
}
