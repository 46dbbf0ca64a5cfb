// SPDX-License-Identifier: Apache-2.0

/// What a connection has opened and not worked off, because its turn is over or its task paused. As a rule there is
/// nothing, and then it owns nothing.
struct HeldInput {
    /// What comes first, if something was left of content that was offered: perhaps no octet of it.
    var content: ArraySlice<UInt8>?
    /// What follows: bytes of HTTP.
    var message: ArraySlice<UInt8> = []

    var isEmpty: Bool { content == nil && message.isEmpty }
}
