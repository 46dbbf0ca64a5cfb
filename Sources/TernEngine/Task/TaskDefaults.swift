// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The settings that all tasks of a session share, unless their requests have their own.
final class TaskDefaults: Sendable {
    let timeouts: Timeouts
    let policies: HopPolicies
    /// The same for requests that name a proxy of their own.
    let policiesWithProxy: HopPolicies
    let routes: RouteRule
    /// Nil without limits.
    let rates: RateLimiters?
    let decodesContent: Bool
    let bodyLimits: BodyLimits
    let contentDecodingLimits: ContentDecodingLimits
    /// The error of a task without a reactor to run on.
    let failure: SessionError.Reason

    init(
        _ configuration: SessionConfiguration, policies: HopPolicies, policiesWithProxy: HopPolicies? = nil,
        routes: RouteRule? = nil, rates: RateLimiters? = nil,
        failure: SessionError.Reason = .sessionInvalidated
    ) {
        self.rates = rates
        self.failure = failure
        self.policies = policies
        self.policiesWithProxy = policiesWithProxy ?? policies
        self.routes =
            routes
            ?? RouteRule(
                settings: RouteSettings.changing(nil) {
                    ($0.dialer, $0.socket) = (configuration.dialer, configuration.unixSocket)
                    $0.proxyProtocol = configuration.proxyProtocol
                    if configuration.socketOptions != SocketOptions() { $0.socketOptions = configuration.socketOptions }
                },
                storage: configuration.urlCredentialStorage)
        timeouts = configuration.timeouts
        decodesContent = configuration.decodesContent
        bodyLimits = configuration.bodyLimits
        contentDecodingLimits = configuration.contentDecodingLimits
    }
}
