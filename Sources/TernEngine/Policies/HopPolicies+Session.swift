// SPDX-License-Identifier: Apache-2.0

extension HopPolicies {
    /// The policies of a session with this configuration, after `first`. This list defines their order.
    convenience init(
        of configuration: SessionConfiguration, first: [any HopPolicy] = [], caching: Caching? = nil,
        proxying: Proxying? = nil, rates: RateLimiters? = nil
    ) {
        var policies = first
        if let refresh = TokenRefresh(of: configuration) { policies.append(refresh) }
        if let cookies = Cookies(of: configuration) { policies.append(cookies) }
        if let netrc = NetrcPasswords(of: configuration) { policies.append(netrc) }
        policies += [Expectations(), Authentication(of: configuration)] as [any HopPolicy]
        // After what prepares a hop, and before what leaves its response.
        if let caching { policies.append(caching) }
        // What a proxy gets is in no other policy's view of the request.
        if let proxying { policies.append(proxying) }
        // What is answered or refused before is not counted.
        if let rates { policies.append(RateLimiting(rates: rates)) }
        policies += [
            Redirects(
                policy: configuration.redirectPolicy, sensitiveFields: configuration.sensitiveFields,
                hsts: configuration.hstsStorage),
            Repeats(rule: RepeatRule(isEnabled: configuration.repeatsLostRequests)),
        ]
        if configuration.waitsForConnectivity { policies.append(Connectivity()) }
        if policies.contains(where: { $0.interests.contains(.preparation) }) {
            policies.insert(DefaultHeaders(fields: configuration.hopFields), at: 0)
        }
        if let strict = StrictTransport(of: configuration) { policies.insert(strict, at: 0) }
        self.init(policies)
    }
}

/// Holds hops back that would exceed the session's rates.
private struct RateLimiting: HopPolicy {
    let rates: RateLimiters

    var interests: HopInterests { .addition }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let origin = try? hop.request.destination.get().origin else { return .ready }
        let delay = rates.reserveRequest(to: origin, at: .now)
        return delay > .zero ? .hold(delay) : .ready
    }
}
