// SPDX-License-Identifier: Apache-2.0

extension HopPolicies {
    /// The policies of a session with this configuration, after `first`. This list defines their order.
    convenience init(
        of configuration: SessionConfiguration, first: [any HopPolicy] = [], source: (any ResponseSource)? = nil,
        providers: (any ProvidedHops)? = nil
    ) {
        var policies = first
        if let refresh = TokenRefresh(of: configuration, isAfterSource: source != nil) { policies.append(refresh) }
        if let cookies = Cookies(of: configuration) { policies.append(cookies) }
        if let netrc = NetrcPasswords(of: configuration) { policies.append(netrc) }
        policies += [Expectations(), Authentication(of: configuration)] as [any HopPolicy]
        if configuration.waitsForConnectivity { policies.append(Connectivity()) }
        if let form = FormContentType(of: configuration) { policies.append(form) }
        let circuits = Circuits(of: configuration)
        // The last one: what it refuses goes to the response source.
        policies.append(Retries(of: configuration, circuits))
        // A response source sees what is sent.
        if source != nil || policies.contains(where: { $0.interests.contains(.preparation) }) {
            policies.insert(DefaultHeaders(fields: configuration.hopFields), at: 0)
        }
        if let strict = StrictTransport(of: configuration) { policies.insert(strict, at: 0) }
        let redirects = Redirects(
            policy: configuration.redirectPolicy, endsLoops: configuration.endsRedirectLoops,
            sensitiveFields: configuration.sensitiveFields,
            hsts: configuration.hstsStorage, cookies: CookieUse(of: configuration))
        self.init(
            policies, following: [redirects], source: source, providers: providers,
            retryPolicy: configuration.retryPolicy, circuits: circuits)
    }
}
