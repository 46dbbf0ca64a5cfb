// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Why a raw stream is no more, or never was.
struct StreamFailure: Error {
    let reason: SessionError.Reason
    var phase = SessionError.Phase.body
    /// The address spoken to, if it came to that.
    var remoteAddress: TransportAddress?
}
