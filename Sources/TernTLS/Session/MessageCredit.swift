// SPDX-License-Identifier: Apache-2.0

/// The number of messages without application data that a peer may still send: session tickets, key updates, requests
/// for renegotiation, warnings. Each costs a key derivation or a reply, and OpenSSL does not limit them; so a peer has
/// a small initial credit, and earns more only by application data.
struct MessageCredit {
    /// The initial and maximum credit. Servers send two to eight tickets after a handshake, and hardly any messages
    /// later.
    static let limit = 32
    /// The number of application data bytes that earn one message.
    private static let price = 512

    private var left = Self.limit
    private var earned = 0

    mutating func earn(_ bytes: Int) {
        if left == Self.limit { return }
        earned += bytes
        left = min(Self.limit, left + earned / Self.price)
        earned %= Self.price
    }

    /// Returns false if the credit is used up.
    mutating func spend(_ messages: Int) -> Bool {
        left -= messages
        return left >= 0
    }
}
