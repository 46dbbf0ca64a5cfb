// SPDX-License-Identifier: Apache-2.0

/// Identifies one registration. Slots are reused, generations are not: an event for a registration that has ended in
/// the meantime is dropped by comparison.
public struct RegistrationToken: Sendable, Hashable {
    let slot: UInt32
    let generation: UInt32

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// The form that travels in epoll's 64 bits of user data.
    init(userData: UInt64) {
        self.init(slot: UInt32(truncatingIfNeeded: userData), generation: UInt32(truncatingIfNeeded: userData >> 32))
    }

    var userData: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}
