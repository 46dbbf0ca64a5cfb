// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Holds hops to a host back while too many of them fail, as the session's ``CircuitBreaker`` says.
///
/// The last policy before the network, so that nothing that was let pass fails for another reason: each time that a hop
/// is prepared, retries and redirects included. What the hop comes to is learned before a response source may hide it,
/// and before another policy sends the hop again.
struct Circuits: HopPolicy {
    private struct Memory: PolicyMemory {
        /// That of the attempt that was made last.
        var pass: CircuitPass?
    }

    let table: CircuitTable
    private let failures: RetryPolicy.Failures
    private let statusCodes: Set<Int>
    private let waitsForConnectivity: Bool
    private let clock: @Sendable () -> MonotonicInstant
    let interests: HopInterests = [.departure, .allHeads, .failures]

    /// Nil for a session without a breaker.
    init?(
        of configuration: SessionConfiguration, clock: @escaping @Sendable () -> MonotonicInstant = { .now }
    ) {
        guard let breaker = configuration.circuitBreaker else { return nil }
        table = CircuitTable(CircuitMachine.Rules(breaker))
        (failures, statusCodes) = (breaker.failures, breaker.statusCodes)
        waitsForConnectivity = configuration.waitsForConnectivity
        self.clock = clock
    }

    func depart(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        // The hop was let pass before, and was not sent, or came to nothing.
        history[Memory.self].pass?.giveBack()
        guard let origin = try? hop.request.destination.get().origin, let key = hop.request.serverKey else {
            return .ready
        }
        let now = clock()
        switch table.ask(key, at: now) {
        case .pass(let pass):
            history.remember(Memory(pass: pass))
            return .ready
        case .refuse(let until, let isHalfOpen):
            let delay = max(.zero, now.duration(to: until))
            return .fail(
                .connecting(
                    .circuitOpen(OpenCircuit(origin, nextProbe: until, delay: delay, isHalfOpen: isHalfOpen))))
        }
    }

    func learn(_ head: ResponseHead, _ history: inout TaskHistory) {
        guard let pass = history[Memory.self].pass else { return }
        // A proxy that wants a password says nothing about the server.
        if head.status == 407 { return pass.giveBack() }
        pass.end(failed: statusCodes.contains(head.status), at: clock())
    }

    func learn(_ failure: AttemptFailure, _ history: inout TaskHistory) {
        guard let pass = history[Memory.self].pass else { return }
        switch failure.kind {
        case .timedOut(let limit): if !limit.isOfServer { return pass.giveBack() }
        case .held, .addressRefused, .limited, .damaged, .local: return pass.giveBack()
        case .unresolved, .unconnected, .untrusted, .lost, .malformed: break
        }
        guard let group = RetryPolicy.Failures(of: failure.reason), failures.contains(group) else {
            return pass.giveBack()
        }
        // The task waits for the network of this machine, and then makes another attempt.
        if waitsForConnectivity, Connectivity.awaits(failure) { return }
        pass.end(failed: true, at: clock())
    }
}

extension CircuitMachine.Rules {
    fileprivate init(_ breaker: CircuitBreaker) {
        self.init(
            window: breaker.window, minimumRequests: breaker.minimumRequests, failureRate: breaker.failureRate,
            openTime: breaker.openTime, maximumOpenTime: breaker.maximumOpenTime, probes: breaker.probes)
    }
}
