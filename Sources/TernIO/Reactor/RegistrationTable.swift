// SPDX-License-Identifier: Apache-2.0

/// The registrations of a loop and their handlers. Independent of epoll; never calls a handler.
struct RegistrationTable: ~Copyable {
    /// The content of one slot; an empty one has no handler.
    struct Registration {
        fileprivate(set) var descriptor: Int32 = -1
        fileprivate(set) var interest: Interest = []
        fileprivate(set) var handler: (any ReadinessHandler)?
    }

    private struct Slot {
        var generation: UInt32 = 0
        var registration = Registration()
    }

    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []

    /// The number of registrations.
    var count: Int { slots.count - freeSlots.count }

    /// The tokens of all registrations.
    var tokens: [RegistrationToken] {
        slots.indices.compactMap { index in
            guard slots[index].registration.handler != nil else { return nil }
            return RegistrationToken(slot: UInt32(truncatingIfNeeded: index), generation: slots[index].generation)
        }
    }

    /// Registers `handler`, without an interest yet. A timer's descriptor is -1.
    mutating func add(_ descriptor: Int32, _ handler: any ReadinessHandler) -> RegistrationToken {
        let slot: UInt32
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = UInt32(truncatingIfNeeded: slots.count)
            slots.append(Slot())
        }
        let index = Int(slot)
        slots[index].registration.descriptor = descriptor
        slots[index].registration.handler = handler
        return RegistrationToken(slot: slot, generation: slots[index].generation)
    }

    /// Empties the slot and returns its content; nil if it was empty. The caller releases the handler outside the
    /// table, because a deinit may call back into it.
    mutating func remove(_ token: RegistrationToken) -> Registration? {
        guard let index = index(of: token) else { return nil }
        var removed = Registration()
        swap(&slots[index].registration, &removed)
        slots[index].generation &+= 1
        freeSlots.append(token.slot)
        return removed
    }

    /// Replaces the handler of a registration and returns the old one, for the same reason.
    mutating func exchangeHandler(
        of token: RegistrationToken, for handler: any ReadinessHandler
    ) -> (any ReadinessHandler)? {
        guard let index = index(of: token) else { return nil }
        var old: (any ReadinessHandler)? = handler
        swap(&slots[index].registration.handler, &old)
        return old
    }

    /// Changes the interest, and returns the previous interest and the descriptor; nil if nothing changes.
    mutating func setInterest(
        _ interest: Interest, for token: RegistrationToken
    ) -> (old: Interest, descriptor: Int32)? {
        guard let index = index(of: token), slots[index].registration.interest != interest else { return nil }
        let old = slots[index].registration.interest
        slots[index].registration.interest = interest
        return (old, slots[index].registration.descriptor)
    }

    func contains(_ token: RegistrationToken) -> Bool { index(of: token) != nil }

    /// Returns the handler to call for an event; nil if the event is outdated or no longer of interest.
    func handler(toTell token: RegistrationToken) -> (any ReadinessHandler)? {
        guard let index = index(of: token), !slots[index].registration.interest.isEmpty else { return nil }
        return slots[index].registration.handler
    }

    /// Returns the handler that is registered in `slot`.
    func handler(in slot: UInt32) -> (any ReadinessHandler)? {
        Int(slot) < slots.count ? slots[Int(slot)].registration.handler : nil
    }

    private func index(of token: RegistrationToken) -> Int? {
        let index = Int(token.slot)
        guard index < slots.count, slots[index].generation == token.generation,
            slots[index].registration.handler != nil
        else { return nil }
        return index
    }
}

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
