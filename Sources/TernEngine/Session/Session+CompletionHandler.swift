// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// What a completion handler is told: body and head, or why not.
    public typealias Completion = @Sendable (Result<(Data, HTTPURLResponse), SessionError>) -> Void

    /// Makes a task that collects the body, at most `maximumCollectedBodySize` bytes of it, and tells
    /// `completionHandler` once, on a reactor's thread. Call `resume()` to start it; the session has to live until it
    /// has ended.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping Completion
    ) -> SessionDataTask {
        dataTask(
            with: request,
            delegate: DataCollector(limit: configuration.maximumCollectedBodySize, completionHandler))
    }

    /// The same with `content` sent along. POST if the request does not say.
    public func uploadTask(
        with request: URLRequest, from content: RequestBody, completionHandler: @escaping Completion
    ) -> SessionUploadTask {
        uploadTask(
            with: request, from: content,
            delegate: DataCollector(limit: configuration.maximumCollectedBodySize, completionHandler))
    }
}
