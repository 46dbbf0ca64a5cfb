// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The settings that all tasks of a session share, unless their requests have their own.
final class TaskDefaults: Sendable {
    let timeouts: Timeouts
    let policies: HopPolicies
    let routes: RouteRule
    /// Nil without limits.
    let rates: RateLimiters?
    /// Nil for attempts that no proxy can get.
    let proxies: ProxyRule?
    let decodesContent: Bool
    let bodyLimits: BodyLimits
    let contentDecodingLimits: ContentDecodingLimits
    /// The error of a task without a reactor to run on.
    let failure: SessionError.Reason

    init(
        _ configuration: SessionConfiguration, policies: HopPolicies, routes: RouteRule? = nil,
        proxies: ProxyRule? = nil, rates: RateLimiters? = nil, failure: SessionError.Reason = .sessionInvalidated
    ) {
        self.rates = rates
        self.failure = failure
        self.policies = policies
        self.proxies = proxies
        self.routes = routes ?? RouteRule(of: configuration)
        timeouts = configuration.timeouts
        decodesContent = configuration.decodesContent
        bodyLimits = configuration.bodyLimits
        contentDecodingLimits = configuration.contentDecodingLimits
    }
}

extension RouteRule {
    /// - Parameter trust: what decides whether the server of a host is trusted, as bytes that differ for other decisions.
    init(of configuration: SessionConfiguration, trust: @escaping @Sendable (_ host: String) -> [[UInt8]] = { _ in [] })
    {
        self.init(
            settings: RouteSettings.changing(nil) {
                ($0.dialer, $0.socket) = (configuration.dialer, configuration.unixSocket)
                $0.proxyProtocol = configuration.proxyProtocol
                if configuration.socketOptions != SocketOptions() { $0.socketOptions = configuration.socketOptions }
            },
            storage: configuration.urlCredentialStorage, proxies: configuration.effectiveProxySettings,
            upgradesAll: configuration.httpAdditionalHeaders.contains("Upgrade"), names: configuration.nameRules,
            egressPolicy: configuration.egressPolicy, trust: trust)
    }
}
