// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

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
    public let timeline: Timeline
    /// The metrics of the engine; nil if nothing was sent.
    public let metrics: TaskMetrics?

    /// Creates a response, for example for tests.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL?, destinationURL: URL?, resumeData: Data?,
        error: (any Error)?, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil
    ) {
        self.request = request
        self.response = response
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.resumeData = resumeData
        self.error = error
        self.timeline = timeline
        self.metrics = metrics
    }
}
