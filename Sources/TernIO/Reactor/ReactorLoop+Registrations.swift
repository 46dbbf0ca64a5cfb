// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc
import Synchronization

// Registrations
extension ReactorLoop {
    /// Watches `descriptor`, which must outlive the registration. The loop retains `handler` until `deregister`.
    public func register(
        _ descriptor: borrowing Descriptor, interest: Interest, handler: any ReadinessHandler
    ) throws(SystemCallError) -> RegistrationToken {
        assert(isCurrent)
        let token = registrations.add(descriptor.rawValue, handler)
        do {
            try setInterest(interest, for: token)
        } catch {
            deregister(token)
            throw error
        }
        return token
    }

    /// Adds a registration that has a deadline and no descriptor.
    public func registerTimer(handler: any ReadinessHandler) -> RegistrationToken {
        assert(isCurrent)
        return registrations.add(-1, handler)
    }

    /// Transfers a registration to another handler. Calls epoll only if the interest changes.
    public func transfer(
        _ token: RegistrationToken, to handler: any ReadinessHandler, interest: Interest
    ) throws(SystemCallError) {
        let replaced = registrations.exchangeHandler(of: token, for: handler)
        defer { withExtendedLifetime(replaced) {} }
        try setInterest(interest, for: token)
    }

    /// Changes what the registration waits for; an unchanged interest makes no system call.
    public func setInterest(_ interest: Interest, for token: RegistrationToken) throws(SystemCallError) {
        assert(isCurrent)
        guard let (old, descriptor) = registrations.setInterest(interest, for: token) else { return }
        let operation = old.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        do throws(SystemCallError) {
            // A timer has no interest.
            guard descriptor >= 0 else { throw SystemCallError(.epollCtl, code: EBADF) }
            try control(operation, descriptor, interest.epollEvents, token.userData)
        } catch {
            _ = registrations.setInterest(old, for: token)
            throw error
        }
    }

    /// Calls the registration's handler with `.visit` in one of the next ticks, to split work that would delay other
    /// connections if it were done within one tick. Has no effect if the registration has ended by then, or has an
    /// empty interest.
    public func visitLater(_ token: RegistrationToken) {
        assert(isCurrent)
        visits.append(token)
    }

    /// Sets the one deadline of a registration, or clears it with nil. It fires never early, and at most about 5 ms
    /// late.
    public func setDeadline(_ deadline: MonotonicInstant?, for token: RegistrationToken) {
        assert(isCurrent)
        guard registrations.contains(token) else { return }
        wheel.set(deadline, slot: token.slot)
    }

    /// Ends a registration. Call it before the descriptor closes. Events already collected for it are dropped.
    public func deregister(_ token: RegistrationToken) {
        assert(isCurrent)
        guard let ended = registrations.remove(token) else { return }
        defer { withExtendedLifetime(ended) {} }
        wheel.set(nil, slot: token.slot)
        if ended.interest.isEmpty { return }
        // Fails only if the descriptor is closed already; then epoll has removed it.
        try? control(EPOLL_CTL_DEL, ended.descriptor, 0, 0)
    }

    /// The number of registrations.
    var registrationCount: Int { registrations.count }

    func control(
        _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ userData: UInt64
    ) throws(SystemCallError) {
        var event = unsafe epoll_event(events: events, data: epoll_data(u64: userData))
        _ = try SystemCall.run(.epollCtl) { unsafe epoll_ctl(epoll.rawValue, operation, descriptor, &event) }
    }
}
