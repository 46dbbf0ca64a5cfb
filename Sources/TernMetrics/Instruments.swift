// SPDX-License-Identifier: Apache-2.0
#if Metrics
    import Metrics
    import TernEngine
    import TernLock

    /// What is measured, by the label of the instrument.
    enum Figure: String, Sendable {
        case requestDuration = "http.client.request.duration"
        case requestBodySize = "http.client.request.body.size"
        case responseBodySize = "http.client.response.body.size"
        case activeRequests = "http.client.active_requests"
        case openConnections = "http.client.open_connections"
        case connectionDuration = "http.client.connection.duration"
        case connectionStep = "tern.client.connection.step.duration"
        case connectionFailures = "tern.client.connection.failures"
        case wait = "tern.client.wait.duration"
        case resends = "tern.client.resends"
        case retryRefusals = "tern.client.retry_refusals"
        case poolRequests = "tern.client.pool.requests"
        case circuit = "tern.client.circuit"
        case certificateExpiry = "tern.client.certificate.expiry"
        case pinExpiry = "tern.client.pin.expiry"
    }

    /// A figure with the values of its dimensions. All series of a figure have the same dimensions, which some backends insist
    /// on: what there is none of is empty.
    struct Series: Hashable, Sendable {
        let figure: Figure
        var method = ""
        /// Nil for the others, beyond the limit.
        var server: HTTPOrigin?
        var statusCode = 0
        var failure: SessionError.Kind?
        /// That of the figure's one dimension of its own.
        var value = ""

        var dimensions: [(String, String)] {
            switch figure {
            case .requestDuration, .requestBodySize, .responseBodySize: ofMethod + ofServer + ofOutcome
            case .activeRequests: ofMethod + ofServer
            case .openConnections: [("http.connection.state", value)]
            case .connectionDuration: [("tern.connection.close", value)]
            case .connectionStep: [("tern.connection.step", value)]
            case .connectionFailures: [("tern.connection.step", value)]
            case .wait: [("tern.wait", value)]
            case .resends: ofServer + [("tern.resend.reason", value)]
            case .retryRefusals: ofServer + [("tern.retry_refusal.reason", value)]
            case .poolRequests: [("tern.pool.state", value)]
            case .circuit: [("tern.circuit.server", value)]
            case .certificateExpiry, .pinExpiry: [("server.address", value)]
            }
        }

        private var ofMethod: [(String, String)] { [("http.request.method", method)] }

        private var ofServer: [(String, String)] {
            [("server.address", server?.host ?? "_OTHER"), ("server.port", server.map { "\($0.port)" } ?? "")]
        }

        /// As the conventions have it, a status code that is an error is a type of one, too.
        private var ofOutcome: [(String, String)] {
            let isError = statusCode >= 400
            return [
                ("http.response.status_code", statusCode == 0 ? "" : "\(statusCode)"),
                ("error.type", failure?.rawValue ?? (isError ? "\(statusCode)" : "")),
            ]
        }
    }

    /// The instruments of swift-metrics, each made once: making one costs a lookup of the backend's.
    final class Instruments: Sendable {
        private struct Made: Sendable {
            var timers: [Series: Timer] = [:]
            var counters: [Series: Counter] = [:]
            var meters: [Series: Meter] = [:]
            var recorders: [Series: Recorder] = [:]
            var servers: Set<HTTPOrigin> = []
        }

        private let factory: any MetricsFactory
        private let maximumServers: Int
        private let made = Lock(Made())

        init(_ factory: any MetricsFactory, maximumServers: Int) {
            (self.factory, self.maximumServers) = (factory, maximumServers)
        }

        /// The origin as a dimension; nil, for the others, once there are too many.
        func known(_ server: HTTPOrigin?) -> HTTPOrigin? {
            guard let server else { return nil }
            return made.withLock { made in
                if made.servers.contains(server) { return server }
                guard made.servers.count < maximumServers else { return nil }
                made.servers.insert(server)
                return server
            }
        }

        func timer(_ series: Series) -> Timer {
            instrument(series, \.timers) { Timer(label: $0, dimensions: $1, factory: factory) }
        }

        func counter(_ series: Series) -> Counter {
            instrument(series, \.counters) { Counter(label: $0, dimensions: $1, factory: factory) }
        }

        func meter(_ series: Series) -> Meter {
            instrument(series, \.meters) { Meter(label: $0, dimensions: $1, factory: factory) }
        }

        func recorder(_ series: Series) -> Recorder {
            instrument(series, \.recorders) { Recorder(label: $0, dimensions: $1, aggregate: true, factory: factory) }
        }

        /// The backend is asked outside the lock: of two that ask at once, one instrument is kept.
        private func instrument<Instrument: Sendable>(
            _ series: Series, _ kind: any WritableKeyPath<Made, [Series: Instrument]> & Sendable,
            _ make: (String, [(String, String)]) -> Instrument
        ) -> Instrument {
            if let known = made.withLock({ $0[keyPath: kind][series] }) { return known }
            let new = make(series.figure.rawValue, series.dimensions)
            return made.withLock { made in
                if let known = made[keyPath: kind][series] { return known }
                made[keyPath: kind][series] = new
                return new
            }
        }
    }
#endif
