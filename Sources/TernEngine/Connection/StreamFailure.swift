// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Why a raw stream is no more, or never was.
struct StreamFailure: Error {
    let reason: EngineError.Reason
    var phase = EngineError.Phase.body
    /// The address spoken to, if it came to that.
    var remoteAddress: SocketAddress?
}
