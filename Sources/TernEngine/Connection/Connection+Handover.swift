// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension Connection {
    /// Stops being an HTTP connection, without calling the delegate. The caller receives the socket, with the bytes
    /// that have arrived.
    func handOver(_ early: [UInt8] = [], hasEnded: Bool = false) -> Handover {
        _ = state.close()
        carry(nil, nil)
        loop.setDeadline(nil, for: token)
        outgoing.drop().finish()
        held = HeldInput()
        owner.connectionClosed(self, wasResting: false)
        return Handover(transport: transport, token: token, metrics: metrics, early: early, hasEnded: hasEnded)
    }

    /// The server switches to another protocol (RFC 9110 §7.8). The switch takes effect once the whole request has been
    /// sent, and only if the delegate takes over.
    func switchProtocols(behind early: [UInt8], hasEnded: Bool = false) {
        guard outgoing.isSent, let delegate, delegate.takesOver else { return fail(.transfer(.upgradeNotTaken)) }
        let evidence = evidence
        delegate.handedOver(handOver(early, hasEnded: hasEnded), evidence)
    }
}
