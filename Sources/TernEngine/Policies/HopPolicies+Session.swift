// SPDX-License-Identifier: Apache-2.0

extension HopPolicies {
    /// The policies of a session with this configuration, after `first`. This list defines their order.
    convenience init(
        of configuration: SessionConfiguration, first: [any HopPolicy] = [], sources: [any ResponseSource] = []
    ) {
        var policies = first
        let comparesRequests = sources.contains(where: \.comparesRequests)
        if let refresh = TokenRefresh(of: configuration, isAfterSource: comparesRequests) { policies.append(refresh) }
        if let cookies = Cookies(of: configuration) { policies.append(cookies) }
        if let netrc = NetrcPasswords(of: configuration) { policies.append(netrc) }
        policies += [Expectations(), UnknownCodings(), Authentication(of: configuration)] as [any HopPolicy]
        if configuration.waitsForConnectivity { policies.append(Connectivity()) }
        if let form = FormContentType(of: configuration) { policies.append(form) }
        let circuits = Circuits(of: configuration)
        // The last one: what it refuses goes to the response sources.
        policies.append(Retries(of: configuration, circuits))
        if comparesRequests || policies.contains(where: { $0.interests.contains(.preparation) }) {
            policies.insert(DefaultHeaders(configuration.hopFields), at: 0)
        }
        if let strict = StrictTransport(of: configuration) { policies.insert(strict, at: 0) }
        let redirects = Redirects(
            policy: configuration.redirectPolicy, endsLoops: configuration.endsRedirectLoops,
            sensitiveFields: configuration.sensitiveFields,
            hsts: configuration.hstsStorage, cookies: CookieUse(of: configuration))
        self.init(
            policies, following: [redirects], sources: sources, retryPolicy: configuration.retryPolicy,
            circuits: circuits)
    }
}
