// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

extension Session {
    /// Makes a task that sends `content` with `request`, whose own content does not count, and tells `delegate` what happens. POST
    /// if the request does not say. Call `resume()` to start it.
    public func uploadTask(
        with request: URLRequest, from content: RequestContent, delegate: any SessionTaskDelegate
    ) -> SessionUploadTask {
        SessionUploadTask(
            request: request.sending(content), delegate: delegate, defaults: taskDefaults, at: placeForTask)
    }

    /// Sends `content` with `request` and collects the answer, at most `maximumCollectedBodySize` bytes of it.
    public func upload(
        for request: URLRequest, from content: RequestContent
    ) async throws(EngineError) -> (Data, HTTPURLResponse) {
        try await data(for: request.sending(content))
    }
}

extension URLRequest {
    fileprivate func sending(_ content: RequestContent) -> URLRequest {
        var request = self
        request.content = content
        if request.method == "GET" { request.httpMethod = "POST" }
        return request
    }
}
