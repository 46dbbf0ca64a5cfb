// SPDX-License-Identifier: Apache-2.0
#if Metrics
    public import Metrics
    public import TernEngine
    import TernLock

    /// Counts and times what the tasks and the connections of a session do, with swift-metrics. Give it to a session among
    /// ``TernEngine/SessionConfiguration/observers``, and call ``record(_:)`` now and then for what is asked of the session.
    ///
    /// The labels are OpenTelemetry's where there is one, and begin with `tern.client.` otherwise. Times are timers, sizes
    /// recorders in bytes. No dimension has a URL, and none what a server chooses beyond its status code: a task counts for
    /// the server of its first request, and servers beyond ``init(factory:maximumServers:)``'s limit for `_OTHER`. The
    /// series of one figure all have the same dimensions: what there is none of, such as the status code of a request
    /// without a response, is empty.
    public struct MetricsObserver: SessionObserver {
        let instruments: Instruments
        let hosts: HostFigures
        private let connections = ConnectionStates()

        /// Creates an observer.
        ///
        /// - Parameters:
        ///   - factory: makes the instruments; nil for that of `MetricsSystem` at this moment.
        ///   - maximumServers: the number of servers that have series of their own.
        public init(factory: (any MetricsFactory)? = nil, maximumServers: Int = 100) {
            instruments = Instruments(factory ?? MetricsSystem.factory, maximumServers: maximumServers)
            hosts = HostFigures(maximumCount: maximumServers)
        }

        /// Counts an event of a task.
        public func observe(_ observation: TaskObservation) {
            let task = observation.task
            switch observation.event {
            case .started: instruments.meter(series(.activeRequests, of: task)).increment()
            case .completed(let error): completed(task, error)
            case .waited(let wait, let since): time(wait.rawValue, since.duration(to: observation.time))
            case .connectionFailed(let connection):
                let step = Series(figure: .connectionFailures, value: connection.phase.rawValue)
                instruments.counter(step).increment()
            case .attemptBegan(isHedge: true): count(.resends, "hedge", of: task)
            case .attemptOver(let attempt): over(attempt, of: task)
            default: break
            }
        }

        /// Counts an event of a connection.
        public func observe(_ observation: ConnectionObservation) {
            let (before, after) = connections.change(observation)
            if before != after {
                if let before { meter(before).decrement() }
                if let after { meter(after).increment() }
            }
            switch observation.event {
            case .opened(let connection): opened(connection)
            case .closed(let reason):
                guard let opened = connections.forget(observation.connection) else { return }
                instruments.timer(Series(figure: .connectionDuration, value: reason.rawValue))
                    .record(duration: opened.duration(to: observation.time))
            case .inUse, .idle: break
            }
        }
    }

    extension MetricsObserver {
        private func completed(_ task: any ObservedTask, _ error: SessionError?) {
            instruments.meter(series(.activeRequests, of: task)).decrement()
            var outcome = series(.requestDuration, of: task)
            (outcome.statusCode, outcome.failure) = (task.response?.statusCode ?? 0, error?.reason.kind)
            if let metrics = task.metrics, let end = metrics.end {
                instruments.timer(outcome).record(duration: metrics.start.duration(to: end))
            }
            guard let task = task as? SessionTask else { return }
            if task.countOfBytesSent > 0 {
                instruments.recorder(outcome.of(.requestBodySize)).record(task.countOfBytesSent)
            }
            if task.response != nil {
                instruments.recorder(outcome.of(.responseBodySize)).record(task.countOfBytesReceived)
            }
        }

        private func over(_ attempt: AttemptMetrics, of task: any ObservedTask) {
            // Like every wait, whatever it has come to: a server that never answers is the slowest.
            if let acquired = attempt.connectionAcquired, let end = attempt.responseStart ?? attempt.end {
                time("response", acquired.duration(to: end))
            }
            if let continuation = attempt.continuation { count(.resends, "\(continuation)", of: task) }
            switch attempt.retryRefusal {
            // Of no policy's, and of no failure's that time could cure.
            case nil, .off, .notTemporary: break
            case let refusal?: count(.retryRefusals, refusal.rawValue, of: task)
            }
        }

        private func opened(_ connection: ConnectionMetrics) {
            step("resolve", from: connection.start, to: connection.resolved)
            step("connect", from: connection.resolved, to: connection.connected)
            if let secured = connection.secured { step("tls", from: connection.connected, to: secured) }
            if let trust = connection.serverTrust { hosts.learn(trust) }
        }

        private func step(_ step: String, from start: MonotonicInstant, to end: MonotonicInstant) {
            instruments.timer(Series(figure: .connectionStep, value: step)).record(duration: start.duration(to: end))
        }

        private func series(_ figure: Figure, of task: any ObservedTask) -> Series {
            let request = task.originalRequest
            return Series(
                figure: figure, method: request.knownMethod, server: instruments.known(request.requestedOrigin))
        }

        private func count(_ figure: Figure, _ value: String, of task: any ObservedTask) {
            let server = instruments.known(task.originalRequest.requestedOrigin)
            instruments.counter(Series(figure: figure, server: server, value: value)).increment()
        }

        private func time(_ wait: String, _ duration: Duration) {
            instruments.timer(Series(figure: .wait, value: wait)).record(duration: duration)
        }

        private func meter(_ state: ConnectionStates.State) -> Meter {
            instruments.meter(Series(figure: .openConnections, value: state.rawValue))
        }
    }

    /// Which connections are open, and what for.
    private final class ConnectionStates: Sendable {
        enum State: String { case idle, active }

        private struct Connection { var state: State?, opened: MonotonicInstant }

        private let connections = Lock<[UInt64: Connection]>([:])

        /// The state of the connection before the event and after it.
        func change(_ observation: ConnectionObservation) -> (before: State?, after: State?) {
            connections.withLock { connections in
                let before = connections[observation.connection]
                var after: State?
                switch observation.event {
                case .opened: connections[observation.connection] = Connection(state: nil, opened: observation.time)
                case .inUse: after = .active
                case .idle: after = .idle
                case .closed: break
                }
                connections[observation.connection]?.state = after
                return (before?.state, before == nil ? nil : after)
            }
        }

        /// When the connection was opened; nil for one that was not.
        func forget(_ connection: UInt64) -> MonotonicInstant? {
            connections.withLock { $0.removeValue(forKey: connection)?.opened }
        }
    }

    extension Series {
        /// The same of another figure with the same dimensions.
        fileprivate func of(_ figure: Figure) -> Series {
            Series(figure: figure, method: method, server: server, statusCode: statusCode, failure: failure)
        }
    }
#endif
