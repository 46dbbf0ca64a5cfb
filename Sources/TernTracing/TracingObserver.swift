// SPDX-License-Identifier: Apache-2.0
#if Tracing
    public import TernEngine
    import TernLock
    public import Tracing

    /// Makes a span of swift-distributed-tracing for each task of a session, and a child of it for each attempt, whose fields,
    /// such as `traceparent`, the attempt is sent with. Give it to a session among
    /// ``TernEngine/SessionConfiguration/observers``.
    ///
    /// The parent of a task's span is the `ServiceContext` where the task is made. Names and attributes are those of
    /// OpenTelemetry's conventions for HTTP clients: the span of an attempt is of the kind `client`, that of the task, which
    /// may have several, is `internal`. URLs are without userinfo and without the values of query items that are secret
    /// (``TernEngine/ObservedTask/redactedURL(of:)``); header fields are not recorded.
    ///
    /// The span of an attempt says why another attempt followed it (`tern.resend.reason`, such as `retry` or `repeat`), or
    /// why no retry did (`tern.retry_refusal.reason`, see ``TernEngine/RetryRefusal``).
    ///
    /// A response with a status code of 400 or more is an error of its span, as the conventions want it. A cancellation is
    /// not, and neither is an attempt that was cancelled because another one had the answer.
    public struct TracingObserver: SessionObserver {
        private let given: (any Tracer)?
        private let propagates: @Sendable (URLRequest) -> Bool

        /// Creates an observer.
        ///
        /// - Parameters:
        ///   - tracer: makes the spans, and the fields; nil for those of `InstrumentationSystem`.
        ///   - propagates: whether an attempt that is about to be sent as this request gets the fields of its span; by
        ///     default each does, also behind a redirect to another origin.
        public init(
            tracer: (any Tracer)? = nil, propagates: @escaping @Sendable (URLRequest) -> Bool = { _ in true }
        ) {
            (given, self.propagates) = (tracer, propagates)
        }

        /// True.
        public var addsFields: Bool { true }

        private var tracer: any Tracer { given ?? InstrumentationSystem.tracer }
        private var instrument: any Instrument { given ?? InstrumentationSystem.instrument }

        /// Begins the span of the task.
        public func created(_ task: any ObservedTask) -> (any Sendable)? {
            let request = task.originalRequest
            let span = span(for: request, in: .current ?? .topLevel, ofKind: .internal)
            if span.isRecording { span.describe(request, of: task) }
            return TaskSpans(span)
        }

        /// Begins and ends the spans of attempts, and ends that of the task.
        public func observe(_ observation: TaskObservation) {
            guard let spans = observation.context as? TaskSpans else { return }
            switch observation.event {
            case .attemptBegan:
                let request = observation.task.currentRequest ?? observation.task.originalRequest
                spans.begin(observation.attempt, span(for: request, in: spans.task.context, ofKind: .client))
            case .head(let response):
                let version = response.head.version
                spans[observation.attempt]?.attributes["network.protocol.version"] = "\(version.major).\(version.minor)"
            case .attemptOver(let attempt):
                guard let span = spans.remove(observation.attempt) else { return }
                if span.isRecording {
                    span.describe(attempt.request, of: observation.task)
                    span.describe(attempt.connection)
                    if observation.attempt > 1 {
                        span.attributes["http.request.resend_count"] = observation.attempt - 1
                    }
                    span.attributes["tern.resend.reason"] = attempt.continuation.map { "\($0)" }
                    switch attempt.retryRefusal {
                    // Of no policy's, and of no failure's that time could cure.
                    case nil, .off, .notTemporary: break
                    case let refusal?: span.attributes["tern.retry_refusal.reason"] = refusal.rawValue
                    }
                    span.describe(attempt.statusCode, attempt.failure, attempt.failure.map { "\($0)" })
                }
                span.end()
            case .completed(let error):
                if spans.task.isRecording {
                    spans.task.describe(observation.task.metrics?.connection)
                    spans.task.describe(
                        observation.task.response?.statusCode, error?.reason, error.map { "\($0)" })
                }
                spans.end()
            default: break
            }
        }

        /// Adds the fields of the attempt's span.
        public func addFields(to request: inout URLRequest, _ observation: TaskObservation) {
            guard let spans = observation.context as? TaskSpans, let span = spans[observation.attempt],
                propagates(request)
            else { return }
            instrument.inject(span.context, into: &request, using: RequestInjector())
        }

        /// Named by the method alone, of which there are few: that is what a backend groups by.
        private func span(
            for request: URLRequest, in context: ServiceContext, ofKind kind: SpanKind
        ) -> any Span {
            let method = request.knownMethod
            return tracer.startAnySpan(method == "_OTHER" ? "HTTP" : method, context: context, ofKind: kind)
        }
    }

    /// The spans of a task, each of which ends once: also that of a task that is released without having been started.
    private final class TaskSpans: Sendable {
        private struct State: Sendable {
            var hasEnded = false
            var attempts: [(number: Int, span: any Span)] = []
        }

        let task: any Span
        private let state = Lock(State())

        init(_ task: any Span) { self.task = task }

        deinit { end() }

        func begin(_ number: Int, _ span: any Span) { state.withLock { $0.attempts.append((number, span)) } }

        subscript(number: Int) -> (any Span)? {
            state.withLock { $0.attempts.first { $0.number == number }?.span }
        }

        func remove(_ number: Int) -> (any Span)? {
            state.withLock { state in
                state.attempts.firstIndex { $0.number == number }.map { state.attempts.remove(at: $0).span }
            }
        }

        func end() {
            let left = state.withLock { state -> [any Span] in
                if state.hasEnded { return [] }
                defer { state = State(hasEnded: true) }
                return state.attempts.map(\.span) + [task]
            }
            for span in left { span.end() }
        }
    }

    private struct RequestInjector: Injector {
        func inject(_ value: String, forKey key: String, into request: inout URLRequest) {
            request.setValue(value, forHTTPHeaderField: key)
        }
    }

    extension Span {
        fileprivate func describe(_ request: URLRequest, of task: any ObservedTask) {
            let method = request.knownMethod
            updateAttributes { attributes in
                attributes["http.request.method"] = method
                if method == "_OTHER" { attributes["http.request.method_original"] = request.httpMethod }
                attributes["url.full"] = task.redactedURL(of: request)
                guard let origin = request.requestedOrigin else { return }
                attributes["server.address"] = origin.host
                attributes["server.port"] = Int(origin.port)
            }
        }

        fileprivate func describe(_ connection: ConnectionMetrics?) {
            guard let peer = connection?.remoteAddress else { return }
            attributes["network.peer.address"] = peer.host ?? peer.description
            if let port = peer.port { attributes["network.peer.port"] = Int(port) }
        }

        fileprivate func describe(_ statusCode: Int?, _ failure: SessionError.Reason?, _ message: String?) {
            if let statusCode { attributes["http.response.status_code"] = statusCode }
            if let failure {
                attributes["error.type"] = failure.kind.rawValue
                if failure.kind != .cancelled { setStatus(SpanStatus(code: .error, message: message)) }
            } else if let statusCode, statusCode >= 400 {
                attributes["error.type"] = "\(statusCode)"
                setStatus(SpanStatus(code: .error))
            }
        }
    }
#endif
