// SPDX-License-Identifier: Apache-2.0
import Tern

/// One policy for whatever host is spoken to: what the command line demands holds behind a redirect, too.
final class UniformTrustPolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, which is what `@unchecked Sendable` rests on.
    private let policy: ServerTrustPolicy

    init(_ policy: ServerTrustPolicy) {
        self.policy = policy
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}
