// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// What became of a request, with what a serializer made of its body.
public struct DataResponse<Value> {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none came.
    public let response: HTTPURLResponse?
    /// The body; nil if it went to `stream(closure:)`.
    public let data: Data?
    /// What the serializer made of it, or what went wrong.
    public let result: Result<Value, any Error>
    /// When what happened.
    public let timeline: Timeline
    /// What the engine measured; nil if nothing was sent.
    public let metrics: TaskMetrics?

    /// What the serializer made of it, if it went well.
    public var value: Value? { result.value }

    /// An ``TernEngine/SessionError`` if the transport failed, a trust refusal included; an ``AFError`` if validation or
    /// serialization did; or what a closure of the caller's threw.
    public var error: (any Error)? { result.error }

    /// A response of one's own making, as for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, result: Result<Value, any Error>,
        timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.result = result
        self.timeline = timeline
        self.metrics = metrics
    }

    /// The same response with another value.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The same response with another value, or the error that the closure throws.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        replacing(result.flatMap(transform))
    }

    /// The same response with another error, if it has one.
    public func mapError<NewError: Error>(_ transform: (any Error) -> NewError) -> DataResponse {
        flatMapError(transform)
    }

    /// The same response with another error, or the one that the closure throws, if it has one.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DataResponse {
        replacing(result.flatMapError { try transform($0) })
    }

    private func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DataResponse<NewValue> {
        DataResponse<NewValue>(
            request: request, response: response, data: data, result: result, timeline: timeline, metrics: metrics)
    }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result.
    public var description: String { result.debugDescription }

    /// Five lines: request, response, data, result, timeline. Without header fields, which may hold secrets.
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
