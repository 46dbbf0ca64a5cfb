// SPDX-License-Identifier: Apache-2.0

/// How many messages that carry no application data a peer may still send: session tickets, key updates, requests to
/// shake hands again, warnings. Each costs us a derivation of keys or an answer, and OpenSSL counts none of them; so a
/// peer has few to begin with, and earns more by application data only.
struct MessageCredit {
    /// What a peer may have at once. Servers send two to eight tickets after a handshake, and hardly anything ever
    /// after.
    static let limit = 32
    /// Bytes of application data that earn one message.
    private static let price = 512

    private var left = Self.limit
    private var earned = 0

    mutating func earn(_ bytes: Int) {
        if left == Self.limit { return }
        earned += bytes
        left = min(Self.limit, left + earned / Self.price)
        earned %= Self.price
    }

    /// Returns false once it is used up.
    mutating func spend(_ messages: Int) -> Bool {
        left -= messages
        return left >= 0
    }
}
