// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

extension Session {
    /// The session's connections now. Counts of one route change while they are read: each is right by itself. Costs
    /// as much as there are routes, and hosts that a circuit breaker watches.
    public var connectionGauges: ConnectionGauges {
        let readings = taskDefaults.policies.circuits?.table.readings(at: .now(by: configuration.clock)) ?? []
        return ConnectionGauges(permits, readings.map(ConnectionGauges.Circuit.init))
    }

    /// The session's connections now, and then whenever they have changed, at most once in each `interval`, which is ten
    /// milliseconds at least; until the session is released. Does not retain the session.
    public func connectionGauges(every interval: Duration) -> AsyncStream<ConnectionGauges> {
        let interval = max(interval, .milliseconds(10))
        let last = Lock<ConnectionGauges?>(nil)
        return AsyncStream { [weak self] in
            if last.withLock({ $0 != nil }) { try? await WorkThreads.shared.sleep(for: interval) }
            while !Task.isCancelled {
                guard let gauges = self?.connectionGauges else { return nil }
                let before = last.withLock { last in
                    defer { last = gauges }
                    return last
                }
                if gauges != before { return gauges }
                try? await WorkThreads.shared.sleep(for: interval)
            }
            return nil
        }
    }
}

extension ConnectionGauges.Circuit {
    fileprivate init(host: String, _ reading: CircuitMachine.Reading) {
        let state: CircuitBreaker.State =
            switch reading.state {
            case .closed: .closed
            case .open: .open
            case .halfOpen: .halfOpen
            }
        self.init(host: host, state: state, requests: reading.requests, failures: reading.failures)
    }
}
