// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// What became of a download, with the file as it came.
public struct DefaultDownloadResponse: Sendable {
    /// The request that was sent; nil if none could be built.
    public let request: URLRequest?
    /// The head of the response; nil if none came.
    public let response: HTTPURLResponse?
    /// Where the file was when it was complete. It still is if there is no destination.
    public let temporaryURL: URL?
    /// Where the file was to be moved; nil if no place was named.
    public let destinationURL: URL?
    /// The data that resumes the download later, if it can be resumed.
    public let resumeData: Data?
    /// What went wrong in transport, moving or validation.
    public let error: (any Error)?
    /// When what happened.
    public let timeline: Timeline
    /// What the engine measured; nil if nothing was sent.
    public let metrics: TaskMetrics?

    /// A response of one's own making, as for tests.
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
