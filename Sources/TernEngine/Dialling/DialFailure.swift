// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Why there is no connection.
struct DialFailure {
    let reason: SessionError.Reason
    let phase: SessionError.Phase
    /// The peer's address, if there was a connection.
    var remoteAddress: TransportAddress?
}
