// SPDX-License-Identifier: Apache-2.0

/// What a client is to do.
struct Load: Codable, Sendable {
    var url: String
    /// The PEM file of the authority that the server's certificate is verified against.
    var authority: String
    /// How many requests are in flight at any time, each on a connection of its own.
    var connections: Int
    /// The size of every body, in bytes; anything else counts as an error.
    var bodySize: Int
    var warmUpSeconds: Double
    var seconds: Double
    /// What kind of handshakes the connections are to make.
    var handshakes = Handshakes.any
    /// The pin that the server's chain has to hold, for clients that can pin; nil pins nothing.
    var pin: String?

    /// Whether it pays to prepare for a body that comes in many reads.
    var isLarge: Bool { bodySize > 1 << 20 }
}
