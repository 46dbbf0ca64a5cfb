// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// The result of a request, with the serialized body.
public struct DataResponse<Value> {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none arrived.
    public let response: HTTPURLResponse?
    /// The body; nil if it was passed to `stream(closure:)`.
    public let data: Data?
    /// The result of the serializer, or the error.
    public let result: Result<Value, any Error>
    /// The times of the request.
    public var timeline: Timeline { measured.timeline }
    /// The metrics of the engine; nil if nothing was sent.
    public var metrics: TaskMetrics? { measured.metrics }
    private let measured: Measured

    /// The result of the serializer, if it succeeded.
    public var value: Value? { result.value }

    /// A ``TernEngine/SessionError`` if the transport failed, a trust refusal included; an ``AFError`` if validation or
    /// serialization failed; or the error of a closure of the caller's.
    public var error: (any Error)? { result.error }

    /// Creates a response, for example for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, result: Result<Value, any Error>,
        timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.init(request: request, response: response, data: data, result: result, Measured(timeline, metrics))
    }

    init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, result: Result<Value, any Error>,
        _ measured: Measured
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.result = result
        self.measured = measured
    }

    /// The same response with another value.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The same response with another value, or the error of the closure.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        replacing(result.flatMap(transform))
    }

    /// The same response with another error, if it has one.
    public func mapError<NewError: Error>(_ transform: (any Error) -> NewError) -> DataResponse {
        flatMapError(transform)
    }

    /// The same response with another error, or the error of the closure, if it has one.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DataResponse {
        replacing(result.flatMapError { try transform($0) })
    }

    private func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request, response: response, data: data, result: result, measured)
    }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result.
    public var description: String { result.debugDescription }

    /// Five lines: request, response, data, result, timeline. Without header fields, which may contain secrets.
    public var debugDescription: String {
        [
            "[Request]: \(request.map(Redaction.summary) ?? "nil")",
            "[Response]: \(response.map { "\($0.statusCode)" } ?? "nil")",
            "[Data]: \(data?.count ?? 0) bytes",
            "[Result]: \(result.debugDescription)",
            "[Timeline]: \(timeline.debugDescription)",
        ]
        .joined(separator: "\n")
    }
}

/// The result of a request, with the body unchanged.
public struct DefaultDataResponse: Sendable {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none arrived.
    public let response: HTTPURLResponse?
    /// The body; nil if it was passed to `stream(closure:)`.
    public let data: Data?
    /// The error of transport or validation.
    public let error: (any Error)?
    /// The times of the request.
    public var timeline: Timeline { measured.timeline }
    /// The metrics of the engine; nil if nothing was sent.
    public var metrics: TaskMetrics? { measured.metrics }
    private let measured: Measured

    /// Creates a response, for example for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?,
        timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.init(request: request, response: response, data: data, error: error, Measured(timeline, metrics))
    }

    init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?, _ measured: Measured
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.error = error
        self.measured = measured
    }
}
