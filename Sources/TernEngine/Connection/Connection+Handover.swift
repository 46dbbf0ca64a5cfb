// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension Connection {
    /// Stops being a connection of HTTP, without telling the delegate. The caller gets the socket, with what had
    /// arrived by then.
    func handOver(_ early: [UInt8] = [], hasEnded: Bool = false) -> Handover {
        _ = state.close()
        carry(nil, nil)
        loop.setDeadline(nil, for: token)
        outgoing.drop().finish()
        held = HeldInput()
        owner.connectionClosed(self, wasResting: false)
        return Handover(transport: transport, token: token, metrics: metrics, early: early, hasEnded: hasEnded)
    }

    /// The server speaks another protocol from here on (RFC 9110 §7.8). It begins when all of the request has been
    /// sent, and only if the delegate takes over.
    func switchProtocols(behind early: [UInt8], hasEnded: Bool = false) {
        guard outgoing.isSent, let delegate, delegate.takesOver else { return fail(.transfer(.upgradeNotTaken)) }
        let evidence = evidence
        delegate.handedOver(handOver(early, hasEnded: hasEnded), evidence)
    }
}
