// SPDX-License-Identifier: Apache-2.0

/// What all tasks of a session have in common, where their requests do not say otherwise.
final class TaskDefaults: Sendable {
    let timeouts: Timeouts
    let redirectPolicy: RedirectPolicy
    let repeats: RepeatRule
    let sensitiveFields: SensitiveFields
    let decodesContent: Bool
    let contentDecodingLimits: ContentDecodingLimits
    /// What a task fails with that finds no reactor to run on.
    let failure: EngineError.Reason

    init(_ configuration: SessionConfiguration, failure: EngineError.Reason = .sessionInvalidated) {
        self.failure = failure
        timeouts = configuration.timeouts
        redirectPolicy = configuration.redirectPolicy
        repeats = RepeatRule(isEnabled: configuration.repeatsLostRequests)
        sensitiveFields = configuration.sensitiveFields
        decodesContent = configuration.decodesContent
        contentDecodingLimits = configuration.contentDecodingLimits
    }
}
