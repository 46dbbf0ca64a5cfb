// SPDX-License-Identifier: Apache-2.0

/// Names one registration for as long as it lives. Slots are used again, generations are not: an event that was
/// already on its way to a closed registration is dropped by comparison.
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
