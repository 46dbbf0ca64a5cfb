// SPDX-License-Identifier: Apache-2.0
import TernIO

extension TaskDefaults {
    /// What the tasks of a session share: its policies after `first`, its response sources, and how its attempts find
    /// their routes.
    ///
    /// - Parameters:
    ///   - routes: in place of those of the configuration; nil for these.
    ///   - rates: in place of those of the configuration; nil for these.
    convenience init(
        of configuration: SessionConfiguration, _ first: [any HopPolicy], _ sources: [any ResponseSource],
        _ routes: RouteRule?, _ trust: SessionTrust, _ proxyLogins: ProxyLogins, rates: RateLimiters?,
        observers: SessionObservers?, timerOn loop: ReactorLoop?, failure: SessionError.Reason
    ) {
        self.init(
            configuration,
            policies: HopPolicies(of: configuration, first: first, sources: sources),
            routes: routes ?? RouteRule(of: configuration) { trust.value.origins.fingerprint(forHost: $0) },
            proxies: ProxyRule(
                proxyLogins, sessionFields: configuration.httpAdditionalHeaders,
                probesAll: configuration.probesForProxyDigest),
            rates: rates
                ?? RateLimiters(
                    session: configuration.rateLimit, perHost: configuration.rateLimitPerHost, timerOn: loop),
            observers: observers, recorder: CassetteRecorder(of: configuration), failure: failure)
    }
}
