// SPDX-License-Identifier: Apache-2.0
#if Metrics
    import Metrics
    public import TernEngine
    import TernLock

    extension MetricsObserver {
        /// Records what is asked of a session: call it at regular intervals, such as that of the scraping.
        ///
        /// - `tern.client.pool.requests`: the requests that wait for a connection (`waiting`), and the connections that are
        ///   being opened (`opening`).
        /// - `tern.client.circuit`: whether the circuit breaker holds requests to a server back: 0 if not, 1 while a few
        ///   pass, 2 if none does.
        /// - `tern.client.certificate.expiry`: when the first certificate of the chain that was verified last for a host
        ///   expires, in seconds since 1970-01-01T00:00:00Z. Known once a connection is opened.
        /// - `tern.client.pin.expiry`: when the first pin set of a host of the session's policies expires, in the same form:
        ///   from then on its pins are ignored.
        public func record(_ session: Session) {
            let gauges = session.connectionGauges
            set(.poolRequests, "waiting", to: gauges.waiting)
            set(.poolRequests, "opening", to: gauges.opening)
            let known = hosts.learn(gauges.circuits.map { ($0.host, $0.state.value) })
            for (server, state) in known.circuits { set(.circuit, server, to: state) }
            for (host, time) in known.expiries { set(.certificateExpiry, host, to: Int(clamping: time)) }
            for (host, policy) in session.serverTrustPolicyManager?.policies ?? [:] {
                guard let time = policy.pinSets.compactMap(\.expires).min() else { continue }
                set(.pinExpiry, host, to: Int(clamping: time))
            }
        }

        private func set(_ figure: Figure, _ value: String, to amount: Int) {
            instruments.meter(Series(figure: figure, value: value)).set(amount)
        }
    }

    /// What is known of hosts, of at most so many.
    final class HostFigures: Sendable {
        struct Known: Sendable {
            /// Of the certificates, in seconds since 1970-01-01T00:00:00Z.
            var expiries: [String: Int64] = [:]
            var circuits: [String: Int] = [:]
        }

        private let maximumCount: Int
        private let known = Lock(Known())

        init(maximumCount: Int) { self.maximumCount = maximumCount }

        /// A connection to a host was opened.
        func learn(_ trust: ServerTrustResult) {
            guard let time = trust.verifiedChain.compactMap(\.notAfter).min() else { return }
            known.withLock { known in
                guard known.expiries[trust.host] != nil || known.expiries.count < maximumCount else { return }
                known.expiries[trust.host] = time
            }
        }

        /// The session names these circuits, and those that it named before are closed.
        func learn(_ circuits: [(server: String, state: Int)]) -> Known {
            known.withLock { known in
                known.circuits = known.circuits.mapValues { _ in 0 }
                for (server, state) in circuits
                where known.circuits[server] != nil || known.circuits.count < maximumCount {
                    known.circuits[server] = state
                }
                return known
            }
        }
    }

    extension CircuitBreaker.State {
        fileprivate var value: Int {
            switch self {
            case .closed: 0
            case .halfOpen: 1
            case .open: 2
            }
        }
    }
#endif
