// SPDX-License-Identifier: Apache-2.0

/// Why the connection cannot go on.
enum ConnectionEnd: Error, Equatable {
    /// The client ended it.
    case client(OriginClose.Kind)
    /// The origin was told to stop.
    case stopped
    /// A step of the script ended it.
    case script
    /// The client sent what the origin cannot read.
    case malformed
    /// OpenSSL failed for a reason that is not the client's.
    case tls(reason: String)
}
