// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// What one connection's server is judged by, taken from the session's policies at one moment.
struct TrustDecision: Sendable {
    let policy: ServerTrustPolicy
    let profile: TrustProfile
    /// Of the policies it was taken from.
    let generation: UInt64
    let onPinFailure: (@Sendable (PinFailureReport) -> Void)?
}
