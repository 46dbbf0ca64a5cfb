// SPDX-License-Identifier: Apache-2.0

/// A TLS handshake that did not complete.
public struct OriginFailedHandshake: Sendable {
    /// The number of the connection, counted from 1.
    public let connection: Int
    /// How the client ended it; nil if the origin itself did.
    public let end: OriginClose.Kind?
    /// The text of OpenSSL's error queue.
    public let reason: String
}
