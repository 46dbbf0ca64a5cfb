// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Why there is no connection.
struct DialFailure {
    let reason: EngineError.Reason
    let phase: EngineError.Phase
    /// The address spoken to, if it came to that.
    var remoteAddress: SocketAddress?
}
