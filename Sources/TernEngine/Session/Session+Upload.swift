// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// Creates a task that sends `content` with `request`, whose own content is ignored, and calls `delegate`. The
    /// method is POST, unless the request sets one, even GET. Call `resume()` to start it.
    public func uploadTask(
        with request: URLRequest, from content: RequestBody, delegate: any SessionTaskDelegate
    ) -> SessionUploadTask {
        made(
            SessionUploadTask(
                request: request.sending(content), delegate: delegate, defaults: taskDefaults,
                at: taskPlace(for: request)))
    }

    /// Creates a task that sends the content of `request`, and calls `delegate`. Call `resume()` to start it.
    public func uploadTask(
        withStreamedRequest request: URLRequest, delegate: any SessionTaskDelegate
    ) -> SessionUploadTask {
        made(
            SessionUploadTask(
                request: request, delegate: delegate, defaults: taskDefaults, at: taskPlace(for: request)))
    }

    /// Creates a task that sends `content` with `request` and calls the session's delegate, if it has one.
    public func uploadTask(with request: URLRequest, from content: RequestBody) -> SessionUploadTask {
        announced { uploadTask(with: request, from: content, delegate: $0 ?? NoOpTaskDelegate.shared) }
    }

    /// Creates a task that sends the content of `request` and calls the session's delegate, if it has one.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public func uploadTask(withStreamedRequest request: URLRequest) -> SessionUploadTask {
        announced { uploadTask(withStreamedRequest: request, delegate: $0 ?? NoOpTaskDelegate.shared) }
    }

    /// Sends `content` with `request` and collects the response body, at most `maximumCollectedBodySize` bytes of it.
    ///
    /// `delegate` is as for `data(for:delegate:)`.
    public func upload(
        for request: URLRequest, from content: RequestBody, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        try await data(for: request.sending(content), delegate: delegate)
    }

    /// The same, and calls `progress` on the reactor's thread whenever bytes were sent or received.
    public func upload(
        for request: URLRequest, from content: RequestBody, delegate: (any SessionTaskDelegate)? = nil,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        try await data(for: request.sending(content), delegate: delegate, progress: progress)
    }

    /// Sends `form` with `request`, whose own content and type are ignored, and collects the response body, at most
    /// `maximumCollectedBodySize` bytes of it.
    public func upload(
        for request: URLRequest, from form: MultipartForm, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        var request = request
        request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
        return try await upload(for: request, from: form.body, delegate: delegate)
    }
}

extension URLRequest {
    fileprivate func sending(_ content: RequestBody) -> URLRequest {
        var request = self
        request.setUpload(content)
        if !request.isMethodNamed { request.httpMethod = "POST" }
        return request
    }
}

/// A task that was created to send content, and brings a response as well.
open class SessionUploadTask: SessionDataTask, @unchecked Sendable {}
