// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A connection that speaks HTTP no more, or never did: what a raw stream takes over. Belongs to the thread of its
/// loop.
struct Handover {
    let transport: Transport
    /// Of the socket; the new owner has it transferred to itself.
    let token: RegistrationToken
    let metrics: ConnectionMetrics
    /// What had come already.
    var early: [UInt8] = []
    /// And nothing follows it.
    var hasEnded = false

    /// Closes a connection that is not taken over.
    func discard(on loop: ReactorLoop) {
        loop.deregister(token)
        transport.close()
    }
}
