// SPDX-License-Identifier: Apache-2.0
import TernTLS

extension TrustSettings {
    /// With sessions of their own for questions about revocation and for reports about pins.
    convenience init(tls configuration: TLSSettings, policies: ServerTrustPolicyManager?) {
        self.init(
            tls: configuration, policies: policies, revocationSender: SideSession.forRevocation(),
            reportSender: SideSession.forReports(tls: configuration))
    }
}
