// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// The result for a completion handler: body and head, or an error.
    public typealias Completion = @Sendable (Result<(Data, HTTPURLResponse), SessionError>) -> Void

    /// Creates a task that collects the body, at most `maximumCollectedBodySize` bytes of it, and calls
    /// `completionHandler` once, on a reactor's thread. Call `resume()` to start it; keep the session until it has
    /// ended.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping Completion
    ) -> SessionDataTask {
        dataTask(
            with: request,
            delegate: DataCollector(limit: configuration.maximumCollectedBodySize, completionHandler))
    }

    /// The same with `content` as the request body. The method defaults to POST.
    public func uploadTask(
        with request: URLRequest, from content: RequestBody, completionHandler: @escaping Completion
    ) -> SessionUploadTask {
        uploadTask(
            with: request, from: content,
            delegate: DataCollector(limit: configuration.maximumCollectedBodySize, completionHandler))
    }
}
