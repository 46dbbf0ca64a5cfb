// SPDX-License-Identifier: Apache-2.0
#if Logging
    import FoundationEssentials
    import Logging
    import TernEngine
    import TernLock
    import TernLogging
    import TernTesting
    import Testing

    @Suite(.timeLimit(.minutes(1))) struct LoggingObserverTests {
        @Test func `a task is a line at debug, and an attempt one at trace`() async throws {
            let log = LogRecord()
            let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
            let session = Session.watched(by: LoggingObserver(logger: log.logger(.trace)))
            _ = try await session.data(for: try URLRequest(string: origin.url("/a?token=x&q=1")))
            await session.finish()
            let lines = log.lines
            #expect(lines.map(\.level) == [.trace, .debug])
            #expect(lines.map(\.message) == ["attempt over: 200", "request over"])
            for line in lines {
                #expect(line.metadata["http.request.method"] == "GET")
                #expect(line.metadata["url.full"] == "\(origin.url("/a?token=REDACTED&q=1"))")
                #expect(line.metadata["server.address"] == "127.0.0.1")
                #expect(line.metadata["server.port"] == "\(origin.port)")
                #expect(line.metadata["http.response.status_code"] == "200")
                #expect(line.metadata["network.peer.address"] == "127.0.0.1")
                #expect(line.metadata["error.type"] == nil && line.metadata["http.request.resend_count"] == nil)
            }
        }

        @Test func `userinfo, secrets of the session and those of the request stay out of the log`() async throws {
            let log = LogRecord()
            let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
            let session = Session.watched(by: LoggingObserver(logger: log.logger(.trace))) {
                $0.sensitiveFields = ["tenant"]
            }
            var request = try URLRequest(
                string: "http://countess:lovelace@127.0.0.1:\(origin.port)/?tenant=hush&order=hush&api_key=hush")
            request.sensitiveFields = ["order"]
            request.setValue("Bearer hush", forHTTPHeaderField: "Authorization")
            _ = try await session.data(for: request)
            await session.finish()
            let text = "\(log.lines)"
            #expect(text.contains("api_key=REDACTED"))
            for secret in ["hush", "lovelace", "countess"] { #expect(!text.contains(secret), "\(text)") }
        }

        @Test func `a retry, a failure and a cancellation have their levels and types`() async throws {
            let log = LogRecord()
            let origin = try ScriptedOrigin.busyOnce()
            let session = Session.watched(by: LoggingObserver(logger: log.logger(.trace), failureLevel: .error))
            try await Journey.make(with: session, to: origin)
            let lines = log.lines.filter { $0.level != .trace }
            #expect(lines.map(\.level) == [.debug, .debug, .error, .debug])
            #expect(lines[0].metadata["http.request.resend_count"] == "1")
            #expect(lines.map { $0.metadata["error.type"] } == [nil, nil, "connection-lost", "cancelled"])
            #expect(lines[2].message.hasPrefix("request failed: "))
            let attempts = log.lines.filter { $0.level == .trace }
            #expect(attempts.first?.metadata["http.response.status_code"] == "503")
            #expect(attempts.first?.message == "attempt over: 503, retry")
        }

        @Test func `a task has a logger of its own, in the context of its caller`() async throws {
            enum Caller { @TaskLocal static var name = "none" }
            let log = LogRecord()
            let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
            let provider = Logger.MetadataProvider { ["caller": "\(Caller.name)"] }
            let session = Session.watched(
                by: LoggingObserver { task in
                    if task.taskDescription == "quiet" { return nil }
                    var logger = log.logger(.debug, provider)
                    logger[metadataKey: "path"] = "\(task.originalRequest.url?.path ?? "")"
                    return logger
                })
            try await Caller.$name.withValue("ada") {
                _ = try await session.data(for: URLRequest(string: origin.url("/mine")))
            }
            await session.finish()
            #expect(log.lines.map { $0.metadata["caller"] } == ["ada"])
            #expect(log.lines.map { $0.metadata["path"] } == ["/mine"])
        }
    }

    /// The lines of loggers, in order.
    private final class LogRecord: Sendable {
        struct Line: Sendable {
            let level: Logger.Level
            let message: String
            let metadata: [String: String]
        }

        private let recorded = Lock<[Line]>([])

        var lines: [Line] { recorded.withLock { $0 } }

        func logger(_ level: Logger.Level, _ provider: Logger.MetadataProvider? = nil) -> Logger {
            Logger(label: "test") { _ in
                Handler(logLevel: level, metadata: [:], metadataProvider: provider, record: self)
            }
        }

        private struct Handler: LogHandler {
            var logLevel: Logger.Level
            var metadata: Logger.Metadata
            var metadataProvider: Logger.MetadataProvider?
            let record: LogRecord

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                let all = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
                let line = Line(level: event.level, message: "\(event.message)", metadata: all)
                record.recorded.withLock { $0.append(line) }
            }
        }
    }
#endif
