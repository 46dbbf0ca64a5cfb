// SPDX-License-Identifier: Apache-2.0

/// What a loop watches, and the handlers that it calls. Knows nothing of epoll, and never calls a handler.
struct RegistrationTable: ~Copyable {
    /// What one slot holds; an empty one has no handler.
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

    /// How many registrations there are.
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

    /// Empties the slot, and gives what was in it; nil if that had gone before. Its handler is the caller's to let go,
    /// away from the table: a deinit may well come here.
    mutating func remove(_ token: RegistrationToken) -> Registration? {
        guard let index = index(of: token) else { return nil }
        var removed = Registration()
        swap(&slots[index].registration, &removed)
        slots[index].generation &+= 1
        freeSlots.append(token.slot)
        return removed
    }

    /// Puts `handler` in the place of another, which it gives back for the same reason.
    mutating func exchangeHandler(
        of token: RegistrationToken, for handler: any ReadinessHandler
    ) -> (any ReadinessHandler)? {
        guard let index = index(of: token) else { return nil }
        var old: (any ReadinessHandler)? = handler
        swap(&slots[index].registration.handler, &old)
        return old
    }

    /// Changes the interest, and gives what it was for which descriptor; nil if that changes nothing.
    mutating func setInterest(
        _ interest: Interest, for token: RegistrationToken
    ) -> (old: Interest, descriptor: Int32)? {
        guard let index = index(of: token), slots[index].registration.interest != interest else { return nil }
        let old = slots[index].registration.interest
        slots[index].registration.interest = interest
        return (old, slots[index].registration.descriptor)
    }

    func contains(_ token: RegistrationToken) -> Bool { index(of: token) != nil }

    /// Returns the handler to call for an event; nil if the event is too late or not of interest any more.
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
