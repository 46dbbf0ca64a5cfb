// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Holds attempts to a server back while too many of them fail, as the session's ``CircuitBreaker`` says.
///
/// Every attempt asks it when its route is known, retries, redirects and second attempts included, and has a pass of its own.
/// What the attempt comes to is learned before a response source may hide it, and before a policy sends the hop again.
final class Circuits: Sendable {
    /// Whether an attempt is let pass.
    enum Admission {
        case pass(CircuitPass)
        case refuse(SessionError.Reason)
    }

    let table: CircuitTable
    private let failures: RetryPolicy.Failures
    private let statusCodes: Set<Int>
    private let waitsForConnectivity: Bool
    private let clock: TestClock?

    /// Nil for a session without a breaker.
    init?(of configuration: SessionConfiguration) {
        guard let breaker = configuration.circuitBreaker else { return nil }
        table = CircuitTable(CircuitMachine.Rules(breaker))
        (failures, statusCodes) = (breaker.failures, breaker.statusCodes)
        waitsForConnectivity = configuration.waitsForConnectivity
        clock = configuration.clock
    }

    /// - Parameter isChosenElsewhere: whether another server has chosen this one, by a redirect. Its failures do not count: a
    ///   server must not open the breaker of another.
    func admit(to route: Route, isChosenElsewhere: @autoclosure () -> Bool) -> Admission {
        let now = MonotonicInstant.now(by: clock)
        switch table.ask(route.serverKey, isChosenElsewhere: isChosenElsewhere(), at: now) {
        case .pass(let pass): return .pass(pass)
        case .refuse(let until, let isHalfOpen):
            let circuit = OpenCircuit(
                route.server, nextProbe: until, delay: max(.zero, now.duration(to: until)), isHalfOpen: isHalfOpen)
            return .refuse(.connecting(.circuitOpen(circuit)))
        }
    }

    /// Whether a retry after this delay would be refused.
    func refuses(_ server: String, after delay: Duration) -> Bool {
        table.isOpen(server, at: MonotonicInstant.now(by: clock).advanced(by: delay))
    }

    func learn(_ head: ResponseHead, of pass: CircuitPass) {
        // A proxy that wants a password says nothing about the server.
        if head.status == 407 { return pass.giveBack() }
        pass.end(failed: statusCodes.contains(head.status), at: .now(by: clock))
    }

    func learn(_ failure: AttemptFailure, of pass: CircuitPass) {
        guard failure.kind.isOutcomeOfServer, let group = RetryPolicy.Failures(of: failure.reason),
            failures.contains(group),
            // The task waits for the network of this machine, and then makes another attempt.
            !waitsForConnectivity || failure.unreachableHosts == nil
        else { return pass.giveBack() }
        pass.end(failed: true, at: .now(by: clock))
    }
}

extension AttemptFailure.Kind {
    /// Whether it says something about the server: it is no limit, verdict or lack of this side.
    fileprivate var isOutcomeOfServer: Bool {
        switch self {
        case .timedOut(let limit): limit.isOfServer
        case .held, .addressRefused, .limited, .damaged, .local: false
        case .unresolved, .unconnected, .untrusted, .lost, .malformed: true
        }
    }
}

extension CircuitMachine.Rules {
    fileprivate init(_ breaker: CircuitBreaker) {
        self.init(
            window: breaker.window, minimumRequests: breaker.minimumRequests, failureRate: breaker.failureRate,
            openTime: breaker.openTime, maximumOpenTime: breaker.maximumOpenTime, probes: breaker.probes)
    }
}
