// SPDX-License-Identifier: Apache-2.0
import Tern

/// One policy for every host, so that the options also apply to the targets of redirects.
final class UniformTrustPolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, hence `@unchecked Sendable`.
    private let policy: ServerTrustPolicy

    init(_ policy: ServerTrustPolicy) {
        self.policy = policy
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}
