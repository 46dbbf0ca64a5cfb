// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// What became of a request, with the body as it came.
public struct DefaultDataResponse: Sendable {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none came.
    public let response: HTTPURLResponse?
    /// The body; nil if it went to `stream(closure:)`.
    public let data: Data?
    /// What went wrong in transport or validation.
    public let error: (any Error)?
    /// When what happened.
    public let timeline: Timeline
    /// What the engine measured; nil if nothing was sent.
    public let metrics: TaskMetrics?

    /// A response of one's own making, as for tests.
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
