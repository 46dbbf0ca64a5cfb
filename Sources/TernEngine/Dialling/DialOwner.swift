// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Who has a connection opened, as far as a dialler knows him: told one of these once, unless he cancels.
protocol DialOwner: ConnectionOwner {
    func dialler(_ dialler: Dialler, opened connection: Connection)

    func dialler(_ dialler: Dialler, failed failure: DialFailure)
}

/// Why there is no connection.
struct DialFailure {
    let reason: EngineError.Reason
    let phase: EngineError.Phase
    /// The address spoken to, if it came to that.
    var remoteAddress: SocketAddress?
}
