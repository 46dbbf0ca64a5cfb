// SPDX-License-Identifier: Apache-2.0

/// What all tasks of a session have in common, where their requests do not say otherwise.
final class TaskDefaults: Sendable {
    let timeouts: Timeouts
    let policies: HopPolicies
    let routes: RouteRule
    let decodesContent: Bool
    let contentDecodingLimits: ContentDecodingLimits
    /// What a task fails with that has no reactor to run on.
    let failure: SessionError.Reason

    init(
        _ configuration: SessionConfiguration, policies: HopPolicies, routes: RouteRule? = nil,
        failure: SessionError.Reason = .sessionInvalidated
    ) {
        self.failure = failure
        self.policies = policies
        self.routes = routes ?? RouteRule(unixSocket: configuration.unixSocket)
        timeouts = configuration.timeouts
        decodesContent = configuration.decodesContent
        contentDecodingLimits = configuration.contentDecodingLimits
    }
}
