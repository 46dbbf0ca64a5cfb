// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

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
    public let timeline: Timeline
    /// The metrics of the engine; nil if nothing was sent.
    public let metrics: TaskMetrics?

    /// Creates a response, for example for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?,
        timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.request = request
        self.response = response
        self.data = data
        self.error = error
        self.timeline = timeline
        self.metrics = metrics
    }
}
