// SPDX-License-Identifier: Apache-2.0

extension HopPolicies {
    /// The policies of a session with this configuration. This list is their order.
    convenience init(of configuration: SessionConfiguration) {
        self.init(
            configuration.additionalPolicies + [
                Expectations(),
                Authentication(),
                Redirects(policy: configuration.redirectPolicy, sensitiveFields: configuration.sensitiveFields),
                Repeats(rule: RepeatRule(isEnabled: configuration.repeatsLostRequests)),
            ])
    }
}
