// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Why a raw stream ended, or was never opened.
struct StreamFailure: Error {
    let reason: SessionError.Reason
    var phase = SessionError.Phase.body
    /// The peer's address, if there was a connection.
    var remoteAddress: TransportAddress?
}
