// SPDX-License-Identifier: Apache-2.0
import TernTLS

extension SessionConfiguration {
    /// What its files have now in the place of its own, and no files: for requests beside those of its session.
    var withTrustOfFiles: SessionConfiguration {
        guard let material = trustFiles?.current.material else { return self }
        var read = applying(material.applied(to: tls))
        read.trustFiles = nil
        return read
    }

    /// With what was read from files in the place of its own. The identities of single hosts and the policies of origins
    /// are no part of a configuration.
    func applying(_ trust: TrustOfFiles) -> SessionConfiguration {
        var applied = self
        applied.tls = trust.tls
        if let anchors = trust.proxyAnchors {
            var tls = applied.forProxies.tls
            tls.anchors = anchors
            applied.proxyTLS = tls
        }
        if let system = trust.system {
            applied.tls.anchors = applied.tls.anchors.with(system)
            if let anchors = applied.proxyTLS?.anchors { applied.proxyTLS?.anchors = anchors.with(system) }
        }
        if let policy = trust.proxyPolicy {
            applied.proxyTrustPolicyManager = policy.manager(onPinFailure: proxyTrustPolicyManager?.onPinFailure)
        }
        return applied
    }
}
