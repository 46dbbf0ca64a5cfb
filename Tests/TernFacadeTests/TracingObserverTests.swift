// SPDX-License-Identifier: Apache-2.0
#if Tracing
    import InMemoryTracing
    import TernEngine
    import TernTesting
    import TernTracing
    import Testing
    import Tracing

    @Suite(.timeLimit(.minutes(1))) struct TracingObserverTests {
        private let tracer = InMemoryTracer(idGenerator: .incrementing)

        private func text(_ span: FinishedInMemorySpan, _ key: String) -> String? {
            switch span.attributes.get(key) {
            case .string(let text): text
            case .int64(let number): "\(number)"
            case .int32(let number): "\(number)"
            default: nil
            }
        }

        private func spans(ofKind kind: SpanKind) -> [FinishedInMemorySpan] {
            tracer.finishedSpans.filter { "\($0.kind)" == "\(kind)" }
        }

        @Test func `a task is a span below its caller's, and each attempt one below that`() async throws {
            let origin = try ScriptedOrigin.busyOnce()
            let session = Session.watched(by: TracingObserver(tracer: tracer))
            let caller = tracer.startSpan("caller", context: .topLevel)
            try await ServiceContext.withValue(caller.context) {
                _ = try await session.data(for: URLRequest(string: origin.url("/a?sig=hush")))
            }
            caller.end()
            await session.finish()
            #expect(tracer.activeSpans.isEmpty)
            let task = try #require(spans(ofKind: .internal).first { $0.operationName == "GET" })
            #expect(task.parentSpanID == caller.spanID && task.traceID == caller.traceID && task.status == nil)
            let attempts = spans(ofKind: .client)
            #expect(attempts.map(\.parentSpanID) == [task.spanID, task.spanID])
            #expect(attempts.map { text($0, "http.response.status_code") } == ["503", "200"])
            #expect(attempts.map { text($0, "http.request.resend_count") } == [nil, "1"])
            #expect(attempts.map { text($0, "error.type") } == ["503", nil])
            #expect(attempts.map { text($0, "tern.resend.reason") } == ["retry", nil])
            #expect(attempts.map { $0.status?.code == .error } == [true, false])
            for span in attempts + [task] {
                #expect(span.operationName == "GET" && text(span, "http.request.method") == "GET")
                #expect(text(span, "url.full") == origin.url("/a?sig=REDACTED"))
                #expect(text(span, "server.address") == "127.0.0.1")
                #expect(text(span, "server.port") == "\(origin.port)")
                #expect(text(span, "network.peer.address") == "127.0.0.1")
            }
            #expect(attempts.map { text($0, "network.protocol.version") } == ["1.1", "1.1"])
            // Each attempt was sent with the fields of its own span.
            let sent = origin.requests.map { request in
                request.fields.first { $0.name == InMemoryTracer.spanIDKey }?.value
            }
            #expect(sent == attempts.map(\.spanID))
        }

        @Test func `each end of a request ends its spans`() async throws {
            let origin = try ScriptedOrigin.busyOnce()
            try await Journey.make(with: Session.watched(by: TracingObserver(tracer: tracer)), to: origin)
            #expect(tracer.activeSpans.isEmpty)
            let tasks = spans(ofKind: .internal)
            #expect(tasks.map { text($0, "error.type") } == [nil, "404", "connection-lost", "cancelled"])
            #expect(tasks.map { $0.status?.code == .error } == [false, true, true, false])
            #expect(spans(ofKind: .client).last.flatMap { text($0, "error.type") } == "cancelled")
        }

        @Test func `the attempt that a hedge has overtaken ends, and is no error`() async throws {
            try await Journey.hedge(watchedBy: TracingObserver(tracer: tracer))
            #expect(tracer.activeSpans.isEmpty)
            let attempts = spans(ofKind: .client)
            #expect(Set(attempts.map { text($0, "error.type") }) == ["cancelled", nil])
            #expect(attempts.allSatisfy { $0.status == nil })
            #expect(spans(ofKind: .internal).map { text($0, "http.response.status_code") } == ["200"])
        }

        @Test func `a task that is not started has a span that ends with it`() async throws {
            let session = Session.watched(by: TracingObserver(tracer: tracer))
            var task: SessionDataTask? = session.dataTask(with: try URLRequest(string: "http://127.0.0.1:1/"))
            #expect(tracer.activeSpans.count == 1)
            withExtendedLifetime(task) {}
            task = nil
            #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 1)
        }

        @Test func `fields are kept from servers that are not meant to see them`() async throws {
            let origin = try ScriptedOrigin { _, _ in [.ok("done")] }
            let session = Session.watched(by: TracingObserver(tracer: tracer) { $0.host == "example.com" })
            _ = try await session.data(for: URLRequest(string: origin.url()))
            await session.finish()
            #expect(origin.requests.allSatisfy { $0.fields.allSatisfy { !$0.name.hasPrefix("in-memory") } })
        }
    }
#endif
