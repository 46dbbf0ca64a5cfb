// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// The result of a download, with the serialized file.
public struct DownloadResponse<Value> {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none arrived.
    public let response: HTTPURLResponse?
    /// The location of the complete file. It is still there if there is no destination.
    public let temporaryURL: URL?
    /// The destination of the file; nil if there was none.
    public let destinationURL: URL?
    /// The data that resumes the download later, if it can be resumed.
    public let resumeData: Data?
    /// The result of the serializer, or the error.
    public let result: Result<Value, any Error>
    /// The times of the request.
    public var timeline: Timeline { measured.timeline }
    /// The metrics of the engine; nil if nothing was sent.
    public var metrics: TaskMetrics? { measured.metrics }
    private let measured: Measured

    /// The result of the serializer, if it succeeded.
    public var value: Value? { result.value }

    /// A ``TernEngine/SessionError`` if the transport failed; an ``AFError`` if validation or serialization failed; an
    /// error of Foundation's if the file could not be moved; or the error of a closure of the caller's.
    public var error: (any Error)? { result.error }

    /// Creates a response, for example for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
        result: Result<Value, any Error>, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.init(
            request: request, response: response, temporaryURL: temporaryURL, destinationURL: destinationURL,
            resumeData: resumeData, result: result, Measured(timeline, metrics))
    }

    init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
        result: Result<Value, any Error>, _ measured: Measured
    ) {
        self.request = request
        self.response = response
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.resumeData = resumeData
        self.result = result
        self.measured = measured
    }

    /// The same response with another value.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DownloadResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The same response with another value, or the error of the closure.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
        replacing(result.flatMap(transform))
    }

    /// The same response with another error, if it has one.
    public func mapError<NewError: Error>(_ transform: (any Error) -> NewError) -> DownloadResponse {
        flatMapError(transform)
    }

    /// The same response with another error, or the error of the closure, if it has one.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DownloadResponse {
        replacing(result.flatMapError { try transform($0) })
    }

    private func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DownloadResponse<NewValue> {
        DownloadResponse<NewValue>(
            request: request, response: response, temporaryURL: temporaryURL, destinationURL: destinationURL,
            resumeData: resumeData, result: result, measured)
    }
}

extension DownloadResponse: Sendable where Value: Sendable {}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result.
    public var description: String { result.debugDescription }

    /// Seven lines: request, response, both locations, resume data, result, timeline. Without header fields, which may
    /// contain secrets.
    public var debugDescription: String {
        [
            "[Request]: \(request.map(Redaction.summary) ?? "nil")",
            "[Response]: \(response.map { "\($0.statusCode)" } ?? "nil")",
            "[TemporaryURL]: \(temporaryURL?.path ?? "nil")",
            "[DestinationURL]: \(destinationURL?.path ?? "nil")",
            "[ResumeData]: \(resumeData?.count ?? 0) bytes",
            "[Result]: \(result.debugDescription)",
            "[Timeline]: \(timeline.debugDescription)",
        ]
        .joined(separator: "\n")
    }
}

/// The result of a download, with the file unchanged.
public struct DefaultDownloadResponse: Sendable {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none arrived.
    public let response: HTTPURLResponse?
    /// The location of the complete file. It is still there if there is no destination.
    public let temporaryURL: URL?
    /// The destination of the file; nil if there was none.
    public let destinationURL: URL?
    /// The data that resumes the download later, if it can be resumed.
    public let resumeData: Data?
    /// The error of transport, moving or validation.
    public let error: (any Error)?
    /// The times of the request.
    public var timeline: Timeline { measured.timeline }
    /// The metrics of the engine; nil if nothing was sent.
    public var metrics: TaskMetrics? { measured.metrics }
    private let measured: Measured

    /// Creates a response, for example for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
        error: (any Error)?, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.init(
            request: request, response: response, temporaryURL: temporaryURL, destinationURL: destinationURL,
            resumeData: resumeData, error: error, Measured(timeline, metrics))
    }

    init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
        error: (any Error)?, _ measured: Measured
    ) {
        self.request = request
        self.response = response
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.resumeData = resumeData
        self.error = error
        self.measured = measured
    }
}
