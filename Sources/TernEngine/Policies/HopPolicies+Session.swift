// SPDX-License-Identifier: Apache-2.0

extension HopPolicies {
    /// The policies of a session with this configuration, after `first`. This list defines their order.
    convenience init(of configuration: SessionConfiguration, first: [any HopPolicy] = []) {
        self.init(
            first
                + ([
                    TokenRefresh(of: configuration), Cookies(of: configuration), DigestProbe(of: configuration),
                ] as [(any HopPolicy)?]).compactMap { $0 } + [
                    Expectations(),
                    Authentication(),
                    Redirects(policy: configuration.redirectPolicy, sensitiveFields: configuration.sensitiveFields),
                    Repeats(rule: RepeatRule(isEnabled: configuration.repeatsLostRequests)),
                ])
    }
}
