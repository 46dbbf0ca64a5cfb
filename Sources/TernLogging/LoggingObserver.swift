// SPDX-License-Identifier: Apache-2.0
#if Logging
    public import Logging
    public import TernEngine

    /// Writes what the tasks of a session do to loggers of swift-log: a line when a task ends, and one at `trace` when an
    /// attempt ends. Give it to a session among ``TernEngine/SessionConfiguration/observers``.
    ///
    /// The keys of the metadata are OpenTelemetry's, such as `http.request.method`. URLs are written without userinfo and
    /// without the values of query items that are secret (``TernEngine/ObservedTask/redactedURL(of:)``), and header fields
    /// are not written.
    public struct LoggingObserver: SessionObserver {
        private let levels: (success: Logger.Level, failure: Logger.Level)
        private let logger: @Sendable (any ObservedTask) -> Logger?

        /// Creates an observer with one logger for all tasks.
        ///
        /// - Parameters:
        ///   - logger: the logger. What its metadata provider returns where a task is made stands in the lines of that task.
        ///   - successLevel: the level of a task that ended without an error, whatever the status code, or was cancelled.
        ///   - failureLevel: the level of any other task.
        public init(logger: Logger, successLevel: Logger.Level = .debug, failureLevel: Logger.Level = .warning) {
            self.init(successLevel: successLevel, failureLevel: failureLevel) { _ in logger }
        }

        /// The same with a logger for each task.
        ///
        /// - Parameters:
        ///   - successLevel: as above.
        ///   - failureLevel: as above.
        ///   - logger: called where the task is made, in the context of its Swift task; nil for a task without lines.
        public init(
            successLevel: Logger.Level = .debug, failureLevel: Logger.Level = .warning,
            logger: @escaping @Sendable (_ task: any ObservedTask) -> Logger?
        ) {
            levels = (successLevel, failureLevel)
            self.logger = logger
        }

        /// Chooses the logger of the task.
        public func created(_ task: any ObservedTask) -> (any Sendable)? {
            guard var logger = logger(task) else { return nil }
            // The lines are written on the reactor's thread, where the context of the caller is unknown.
            for (key, value) in logger.metadataProvider?.get() ?? [:] where logger[metadataKey: key] == nil {
                logger[metadataKey: key] = value
            }
            return logger
        }

        /// Writes the end of a task, or of an attempt.
        public func observe(_ observation: TaskObservation) {
            guard let logger = observation.context as? Logger else { return }
            switch observation.event {
            case .attemptOver(let attempt):
                logger.log(level: .trace, "attempt over: \(attempt)", metadata: metadata(of: attempt, in: observation))
            case .completed(nil):
                logger.log(level: levels.success, "request over", metadata: metadata(ofTaskIn: observation))
            case .completed(let error?) where error.reason.kind == .cancelled:
                logger.log(
                    level: levels.success, "request cancelled", metadata: metadata(ofTaskIn: observation, error.reason))
            case .completed(let error?):
                logger.log(
                    level: levels.failure, "request failed: \(error)",
                    metadata: metadata(ofTaskIn: observation, error.reason))
            default: break
            }
        }

        private func metadata(
            ofTaskIn observation: TaskObservation, _ failure: SessionError.Reason? = nil
        ) -> Logger.Metadata {
            let (task, metrics) = (observation.task, observation.task.metrics)
            var metadata = metadata(of: task.originalRequest, observation, failure)
            metadata["http.response.status_code"] = (task.response?.statusCode).map { "\($0)" }
            metadata["network.peer.address"] = peer(metrics?.connection)
            if let metrics, let end = metrics.end { metadata["tern.duration"] = "\(metrics.start.duration(to: end))" }
            return metadata
        }

        private func metadata(of attempt: AttemptMetrics, in observation: TaskObservation) -> Logger.Metadata {
            var metadata = metadata(of: attempt.request, observation, attempt.failure)
            metadata["http.response.status_code"] = attempt.statusCode.map { "\($0)" }
            metadata["network.peer.address"] = peer(attempt.connection)
            if let end = attempt.end { metadata["tern.duration"] = "\(attempt.start.duration(to: end))" }
            return metadata
        }

        private func metadata(
            of request: URLRequest, _ observation: TaskObservation, _ failure: SessionError.Reason?
        ) -> Logger.Metadata {
            var metadata: Logger.Metadata = [
                "http.request.method": "\(request.httpMethod ?? "")",
                "url.full": "\(observation.task.redactedURL(of: request))",
                "tern.task": "\(observation.task.taskIdentifier)",
            ]
            if let origin = request.requestedOrigin {
                metadata["server.address"] = "\(origin.host)"
                metadata["server.port"] = "\(origin.port)"
            }
            if observation.attempt > 1 { metadata["http.request.resend_count"] = "\(observation.attempt - 1)" }
            if let failure { metadata["error.type"] = "\(failure.kind)" }
            return metadata
        }

        private func peer(_ connection: ConnectionMetrics?) -> Logger.MetadataValue? {
            connection.map { "\($0.remoteAddress.host ?? $0.remoteAddress.description)" }
        }
    }
#endif
