// SPDX-License-Identifier: Apache-2.0
import TernTLS

extension SessionConfiguration {
    /// With what was read from files in the place of its own. The identities of single hosts and the policies of origins
    /// are no part of a configuration.
    func applying(_ material: TrustMaterial) -> SessionConfiguration {
        var applied = self
        if let anchors = material.anchors { applied.tls.anchors = anchors }
        if let identity = material.identity { applied.tls.identity = identity }
        if let lists = material.revocationLists { applied.tls.revocationLists = lists }
        if let logs = material.transparencyLogs { applied.tls.transparencyLogs = logs }
        if let anchors = material.proxyAnchors {
            var tls = applied.forProxies.tls
            tls.anchors = anchors
            applied.proxyTLS = tls
        }
        if let policy = material.proxyPolicy {
            applied.proxyTrustPolicyManager = policy.manager(onPinFailure: proxyTrustPolicyManager?.onPinFailure)
        }
        return applied
    }
}
