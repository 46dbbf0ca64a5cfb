// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// Makes a task that sends `content` with `request`, whose own content does not count, and tells `delegate` what
    /// happens. By POST, unless the request names a method, be it GET. Call `resume()` to start it.
    public func uploadTask(
        with request: URLRequest, from content: RequestBody, delegate: any SessionTaskDelegate
    ) -> SessionUploadTask {
        SessionUploadTask(
            request: request.sending(content), delegate: delegate, defaults: taskDefaults, at: placeForTask)
    }

    /// Makes a task that sends the content that `request` has, and tells `delegate` what happens. Call `resume()` to
    /// start it.
    public func uploadTask(
        withStreamedRequest request: URLRequest, delegate: any SessionTaskDelegate
    ) -> SessionUploadTask {
        SessionUploadTask(request: request, delegate: delegate, defaults: taskDefaults, at: placeForTask)
    }

    /// Makes a task that sends `content` with `request` and calls the session's delegate, if it has one.
    public func uploadTask(with request: URLRequest, from content: RequestBody) -> SessionUploadTask {
        announced { uploadTask(with: request, from: content, delegate: $0 ?? NoOpTaskDelegate.shared) }
    }

    /// Makes a task that sends the content that `request` has and calls the session's delegate, if it has one.
    public func uploadTask(withStreamedRequest request: URLRequest) -> SessionUploadTask {
        announced { uploadTask(withStreamedRequest: request, delegate: $0 ?? NoOpTaskDelegate.shared) }
    }

    /// Sends `content` with `request` and collects the answer, at most `maximumCollectedBodySize` bytes of it.
    public func upload(
        for request: URLRequest, from content: RequestBody
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        try await data(for: request.sending(content))
    }

    /// Sends `form` with `request`, whose own content and type do not count, and collects the answer, at most
    /// `maximumCollectedBodySize` bytes of it.
    public func upload(
        for request: URLRequest, from form: MultipartForm
    ) async throws(SessionError) -> (Data, HTTPURLResponse) {
        var request = request
        request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
        return try await upload(for: request, from: form.content)
    }
}

extension URLRequest {
    fileprivate func sending(_ content: RequestBody) -> URLRequest {
        var request = self
        request.content = content
        if !request.isMethodNamed { request.httpMethod = "POST" }
        return request
    }
}
