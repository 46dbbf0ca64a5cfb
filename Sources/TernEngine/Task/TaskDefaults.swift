// SPDX-License-Identifier: Apache-2.0

/// The settings that all tasks of a session share, unless their requests have their own.
final class TaskDefaults: Sendable {
    let timeouts: Timeouts
    let policies: HopPolicies
    let routes: RouteRule
    let decodesContent: Bool
    let contentDecodingLimits: ContentDecodingLimits
    /// The error of a task without a reactor to run on.
    let failure: SessionError.Reason

    init(
        _ configuration: SessionConfiguration, policies: HopPolicies, routes: RouteRule? = nil,
        failure: SessionError.Reason = .sessionInvalidated
    ) {
        self.failure = failure
        self.policies = policies
        self.routes =
            routes
            ?? RouteRule(
                settings: configuration.unixSocket.map(RouteSettings.init(socket:)),
                storage: configuration.urlCredentialStorage)
        timeouts = configuration.timeouts
        decodesContent = configuration.decodesContent
        contentDecodingLimits = configuration.contentDecodingLimits
    }
}
