// SPDX-License-Identifier: Apache-2.0

/// The end of a connection by the client.
public struct OriginClose: Sendable {
    /// The number of the connection, counted from 1.
    public let connection: Int
    /// How it ended.
    public let kind: Kind
    /// The number of request heads received before.
    public let headCount: Int

    /// How the client ended the connection.
    public enum Kind: Sendable, Equatable {
        /// FIN, over TLS without a close_notify before it.
        case fin
        /// The close_notify alert.
        case closeNotify
        /// A fatal TLS alert, by its number (RFC 8446 §6.2).
        case alert(UInt8)
        /// RST.
        case reset
    }
}
