// SPDX-License-Identifier: Apache-2.0

/// What a connection has received and not worked off, because its turn is over or its task paused. As a rule there is none,
/// and then it owns nothing.
struct HeldInput {
    /// What comes first: bytes of HTTP.
    var plaintext: ArraySlice<UInt8> = []
    /// What follows, over TLS.
    var ciphertext: ArraySlice<UInt8> = []

    var isEmpty: Bool { plaintext.isEmpty && ciphertext.isEmpty }
}
