// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The settings that all tasks of a session share, unless their requests have their own.
final class TaskDefaults: Sendable {
    let timeouts: Timeouts
    /// Has the time of the tasks; nil for the kernel's.
    let clock: TestClock?
    let policies: HopPolicies
    let routes: RouteRule
    /// Nil without limits.
    let rates: RateLimiters?
    /// Nil for attempts that no proxy can get.
    let proxies: ProxyRule?
    /// Nil for none.
    let observers: SessionObservers?
    /// Nil if exchanges are not recorded.
    let recorder: (any ExchangeRecorder)?
    let decodesContent: Bool
    /// What descriptions for observers leave out, besides what the request says.
    let sensitiveFields: SensitiveFields
    let bodyLimits: BodyLimits
    let contentDecodingLimits: ContentDecodingLimits
    /// The error of a task without a reactor to run on.
    let failure: SessionError.Reason
    /// Whether errors have the whole URL of the request.
    let followsURLSession: Bool

    init(
        _ configuration: SessionConfiguration, policies: HopPolicies, routes: RouteRule? = nil,
        proxies: ProxyRule? = nil, rates: RateLimiters? = nil,
        observers: SessionObservers? = nil, recorder: (any ExchangeRecorder)? = nil,
        failure: SessionError.Reason = .sessionInvalidated
    ) {
        self.rates = rates
        (self.observers, self.recorder) = (observers, recorder)
        self.failure = failure
        self.policies = policies
        self.proxies = proxies
        self.routes = routes ?? RouteRule(of: configuration)
        (timeouts, clock) = (configuration.timeouts, configuration.clock)
        decodesContent = configuration.decodesContent
        sensitiveFields = configuration.sensitiveFields
        bodyLimits = configuration.bodyLimits
        contentDecodingLimits = configuration.contentDecodingLimits
        followsURLSession = configuration.followsURLSession
    }

    /// For tasks that a program makes itself, to stand in for those of a session.
    static let ofNoSession = TaskDefaults(SessionConfiguration(), policies: HopPolicies([]))

    private init(
        _ other: TaskDefaults, policies: HopPolicies, rates: RateLimiters?, failure: SessionError.Reason? = nil
    ) {
        (timeouts, clock, routes, proxies) = (other.timeouts, other.clock, other.routes, other.proxies)
        (observers, recorder) = (other.observers, other.recorder)
        (self.policies, self.rates) = (policies, rates)
        (decodesContent, sensitiveFields) = (other.decodesContent, other.sensitiveFields)
        (bodyLimits, contentDecodingLimits) = (other.bodyLimits, other.contentDecodingLimits)
        (self.failure, followsURLSession) = (failure ?? other.failure, other.followsURLSession)
    }

    /// For a task that has nowhere to run and fails for this reason.
    convenience init(failing other: TaskDefaults, with failure: SessionError.Reason) {
        self.init(other, policies: other.policies, rates: nil, failure: failure)
    }

    /// For tasks that open connections and send nothing: no response source answers in place of a connection, and no rate
    /// is spent.
    convenience init(forPreparation other: TaskDefaults) {
        self.init(other, policies: HopPolicies(withoutSource: other.policies), rates: nil)
    }
}

// What a request says, or else its session
extension TaskDefaults {
    @inline(__always)
    func timeouts(for request: URLRequest) -> Timeouts { request.timeouts ?? timeouts }

    /// The hop in the form for one attempt: the one place where that is made; nil if the hop is sent as it is.
    ///
    /// - Parameters:
    ///   - login: what authenticates the hop to its origin. It counts its uses.
    ///   - others: observers that add their fields, and the request's signer; nil for none.
    ///   - isFirst: whether no proxy has answered an attempt of the hop.
    @inline(__always)
    func form(
        of hop: Hop, signedBy login: PasswordLogin?, _ others: (any RequestSigner)?, along route: Route, isFirst: Bool
    ) -> AttemptForm? {
        if login == nil, others == nil, !route.isToProxy, !hop.request.isCompressed { return nil }
        return newForm(of: hop, [login, others].compactMap(\.self), route, isFirst)
    }

    private func newForm(
        of hop: Hop, _ signers: [any RequestSigner], _ route: Route, _ isFirst: Bool
    ) -> AttemptForm? {
        let part = proxies?.part(of: hop, along: route, isFirst: isFirst)
        if part == nil, signers.isEmpty, !hop.request.isCompressed { return nil }
        return AttemptForm(hop, part, signers: signers)
    }

    func decodesContent(for request: URLRequest) -> Bool { request.decodesContent ?? decodesContent }

    /// How fast the bytes of an exchange with this origin may pass; nil for no limit.
    ///
    /// - Parameter limiter: that of the request itself, which all its exchanges share; made when the first one needs it.
    @inline(__always)
    func pace(for request: URLRequest, to origin: @autoclosure () -> HTTPOrigin?, _ limiter: inout RateLimiter?)
        -> Pace?
    {
        let own = request.maximumBytesPerSecond
        if rates == nil, own == nil { return nil }
        guard let origin = origin() else { return nil }
        let shared = rates?.pace(of: origin, at: .now(by: clock))
        guard let own, own > 0 else { return shared }
        let known = limiter ?? RateLimiter(RateLimit(bytesPerSecond: own))
        limiter = known
        return Pace(known, bytesPerSecond: own, and: shared)
    }
}
