// SPDX-License-Identifier: Apache-2.0

/// The policies of a session in the order in which its tasks call them, grouped by what they take part in. An object,
/// so that each task holds one reference to them.
final class HopPolicies: Sendable {
    let preparing: [any HopPolicy]
    let reading: [any HopPolicy]
    let recovering: [any HopPolicy]
    /// Whether a policy inspects the heads of successful responses.
    let readsAllHeads: Bool

    init(_ policies: [any HopPolicy]) {
        preparing = policies.filter { $0.interests.contains(.preparation) }
        reading = policies.filter { $0.interests.contains(.unsuccessfulHeads) }
        recovering = policies.filter { $0.interests.contains(.failures) }
        readsAllHeads = reading.contains { $0.interests.contains(.allHeads) }
    }
}
