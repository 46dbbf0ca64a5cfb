// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// The policy of one connection's server, taken from the session's policies at one moment.
struct TrustDecision: Sendable {
    let policy: ServerTrustPolicy
    let profile: TrustProfile
    /// The generation of those policies.
    let generation: UInt64
    let onPinFailure: (@Sendable (PinFailureReport) -> Void)?
}
