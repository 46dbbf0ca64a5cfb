// SPDX-License-Identifier: Apache-2.0

/// Why a connection ends.
enum ConnectionEnd: Error, Equatable {
    /// The client ended it.
    case client(OriginClose.Kind)
    /// The origin was stopped.
    case stopped
    /// A step of the script ended it.
    case script
    /// The client sent bytes that the origin cannot read.
    case malformed
    /// OpenSSL failed for a reason other than the client.
    case tls(reason: String)
}
