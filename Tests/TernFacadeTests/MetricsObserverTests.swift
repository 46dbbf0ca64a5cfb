// SPDX-License-Identifier: Apache-2.0
#if Metrics
    import CoreMetrics
    import FoundationEssentials
    import MetricsTestKit
    import TernEngine
    import TernMetrics
    import TernTesting
    import Testing

    @Suite(.timeLimit(.minutes(1))) struct MetricsObserverTests {
        private let metrics = TestMetrics()

        private func outcomes(_ label: String) -> Set<String> {
            Set(
                metrics.timers.filter { $0.label == label }.map { timer in
                    let values = Dictionary(uniqueKeysWithValues: timer.dimensions)
                    return [
                        values["http.request.method"], values["http.response.status_code"], values["error.type"],
                        "\(timer.values.count)",
                    ].compactMap(\.self).joined(separator: " ")
                })
        }

        private func value(_ label: String, _ dimension: String) -> Double? {
            metrics.meters.first { $0.label == label && $0.dimensions.contains { $0.1 == dimension } }?.lastValue
        }

        private func count(_ label: String, _ dimension: String) -> Int64? {
            metrics.counters.first { $0.label == label && $0.dimensions.contains { $0.1 == dimension } }?.totalValue
        }

        private func times(_ label: String, _ dimension: String) -> Int? {
            metrics.timers.first { $0.label == label && $0.dimensions.contains { $0.1 == dimension } }?.values.count
        }

        @Test func `each end of a request is counted, and what begins ends`() async throws {
            let origin = try ScriptedOrigin.busyOnce()
            let session = Session.watched(by: MetricsObserver(factory: metrics))
            try await Journey.make(with: session, to: origin)
            #expect(
                outcomes("http.client.request.duration") == [
                    "GET 200  1", "GET 404 404 1", "GET  connection-lost 1", "GET  cancelled 1",
                ])
            let active = try metrics.expectMeter(
                "http.client.active_requests",
                [
                    ("http.request.method", "GET"), ("server.address", "127.0.0.1"),
                    ("server.port", "\(origin.port)"),
                ])
            #expect(active.values.max() == 1 && active.lastValue == 0)
            #expect(value("http.client.open_connections", "active") == 0)
            #expect(value("http.client.open_connections", "idle") == 0)
            let closed = metrics.timers.filter { $0.label == "http.client.connection.duration" }
            #expect(closed.map(\.values.count).reduce(0, +) == origin.connectionCount)
            #expect(times("tern.client.connection.step.duration", "connect") == origin.connectionCount)
            #expect(count("tern.client.resends", "retry") == 1)
            // The delay before the retry, three responses, and three that did not come: one was repeated.
            #expect(times("tern.client.wait.duration", "delay") == 1)
            #expect(times("tern.client.wait.duration", "response") == 6)
            let sizes = metrics.recorders.filter { $0.label == "http.client.response.body.size" }
            #expect(Set(sizes.flatMap(\.values)) == [4])
            #expect(Set(metrics.timers.map { $0.dimensions.map(\.0) + [$0.label] }).count == 4)
        }

        @Test func `a hedge is counted, and the attempt that is left ends`() async throws {
            try await Journey.hedge(watchedBy: MetricsObserver(factory: metrics))
            #expect(count("tern.client.resends", "hedge") == 1)
            #expect(value("http.client.active_requests", "GET") == 0)
            #expect(value("http.client.open_connections", "active") == 0)
        }

        @Test func `servers beyond the limit share their series`() async throws {
            let origins = try (0..<3).map { _ in try ScriptedOrigin { _, _ in [.ok("done")] } }
            let session = Session.watched(by: MetricsObserver(factory: metrics, maximumServers: 2))
            for origin in origins { _ = try await session.data(for: URLRequest(string: origin.url("/\(origin.port)"))) }
            await session.finish()
            let durations = metrics.timers.filter { $0.label == "http.client.request.duration" }
            let servers = durations.map { $0.dimensions.first { $0.0 == "server.address" }?.1 }
            #expect(servers.sorted { "\($0 ?? "")" < "\($1 ?? "")" } == ["127.0.0.1", "127.0.0.1", "_OTHER"])
        }

        @Test func `a request body has a size, and a method without a standard is one of the others`() async throws {
            let origin = try ScriptedOrigin { _, _ in [.ok("done")] }
            let session = Session.watched(by: MetricsObserver(factory: metrics))
            var request = try URLRequest(string: origin.url())
            (request.httpMethod, request.httpBody) = ("FROBNICATE", .init([1, 2, 3]))
            _ = try await session.data(for: request)
            await session.finish()
            let sizes = metrics.recorders.filter { $0.label == "http.client.request.body.size" }
            #expect(sizes.flatMap(\.values) == [3])
            #expect(outcomes("http.client.request.duration") == ["_OTHER 200  1"])
        }

        @Test func `a session is asked for its certificates, its pins and its breaker`() async throws {
            let authority = try CertificateAuthority()
            let identity = try authority.issue()
            let origin = try ScriptedOrigin(tls: identity) { _, _ in [.respond(status: 503, body: "no")] }
            let observer = MetricsObserver(factory: metrics)
            let anchor = try X509Certificate(pem: authority.certificatePEM)
            var configuration = SessionConfiguration()
            configuration.observers = [observer]
            configuration.tls.anchors = .only([anchor])
            configuration.retryPolicy = .never
            var breaker = CircuitBreaker()
            breaker.minimumRequests = 1
            configuration.circuitBreaker = breaker
            let pins = PinSet(hosts: [try HostPattern("localhost")], pins: [anchor.publicKey], expires: 4_000_000_000)
            let session = Session(
                configuration: configuration, serverTrustPolicyManager: ServerTrustPolicyManager(pinSets: [pins]))
            _ = try await session.data(for: URLRequest(string: origin.url()))
            observer.record(session)
            let chain = [try X509Certificate(pem: identity.certificatePEM), anchor]
            let expiry = try #require(chain.compactMap(\.notAfter).min())
            #expect(value("tern.client.certificate.expiry", "localhost") == Double(expiry))
            #expect(value("tern.client.pin.expiry", "localhost") == 4_000_000_000)
            #expect(value("tern.client.pool.requests", "waiting") == 0)
            #expect(value("tern.client.circuit", "localhost:\(origin.port)") == 2)
        }
    }
#endif
