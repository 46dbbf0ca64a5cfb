// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A connection that no longer, or never, carries HTTP: a raw stream takes it over. Belongs to the thread of its loop.
struct Handover {
    let transport: Transport
    /// The socket's registration; the new owner transfers it to itself.
    let token: RegistrationToken
    let metrics: ConnectionMetrics
    /// The bytes that have arrived already.
    var early: [UInt8] = []
    /// Whether the end of the stream follows them.
    var hasEnded = false

    /// Closes a connection that is not taken over.
    func discard(on loop: ReactorLoop) {
        loop.deregister(token)
        transport.close()
    }
}
