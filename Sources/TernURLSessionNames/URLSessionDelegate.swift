// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

/// Receives the events of a session. All methods but ``URLSessionDownloadDelegate``'s `didFinishDownloadingTo` may be left
/// out. They are called one after another on the session's `delegateQueue`.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// The session was invalidated, and its last task has ended. The session releases the delegate afterwards.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    /// The session's trust policies have evaluated a server, once for each TLS connection. By default
    /// ``URLSessionTaskDelegate`` is asked.
    @preconcurrency func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// Never called: there are no background sessions.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

/// Receives the events of tasks.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// A task was created. Called before the method that creates it returns, on its thread.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)
    /// Never called, as in URLSession on Linux: a task begins with `resume()`.
    @preconcurrency func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)
    /// Returns the request that follows a redirect; nil makes the redirect the response. By default it is followed.
    @preconcurrency func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    /// A server requests credentials, or the session's trust policies have evaluated a server, and
    /// ``URLSessionDelegate`` has left the answer to the task.
    @preconcurrency func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// The request must be sent again, and its body stream has been read; nil, the default, fails a redirect. Or it is a
    /// streamed one without a stream; nil sends nothing then.
    @preconcurrency func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
    /// More of the request's body was sent.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    /// The task waits for a network.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    /// The metrics of a task that has ended; before its completion.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    /// The end of the task: the last call. Not called for a task with a completion handler.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

/// Receives the responses of data and upload tasks without a completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// The head of the response. Nothing of the body is delivered before the answer.
    @preconcurrency func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: any URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    /// The response becomes a file, as `didReceive response` has answered.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)
    /// Never called, as in URLSession on Linux: a response does not become a stream.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask)
    /// More bytes of the body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
    /// Returns what is stored of a complete response; nil for nothing.
    @preconcurrency func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
}

/// Receives the files of download tasks without a completion handler.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The complete file, which is removed when the method returns, unless it was moved.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
    /// More bytes were written to the file.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
    /// The download continues at this offset.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

/// Receives the events of streams.
public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
    /// No more can be read.
    func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)
    /// No more can be written.
    func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)
    /// Never called: Tern does not watch for better routes.
    func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)
    /// Never called: a stream task is read and written through its own methods.
    func urlSession(
        _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
        outputStream: OutputStream)
}

/// Receives the events of WebSockets.
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
    /// The server has accepted the handshake, and chosen this subprotocol; nil for none. Before any message.
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?)
    /// The server's close frame came, with this code and reason; nil without one. Or it did not answer that of the task in
    /// time: `abnormalClosure`. Not called for a WebSocket that fails.
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}

extension URLSessionDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
    /// Asks the task's delegate.
    @preconcurrency public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

extension URLSessionTaskDelegate {
    /// The session's delegate, if this is a task's own: it receives what this one does not implement. Not what a completion
    /// handler gets.
    fileprivate func next<Delegate>(
        _ session: URLSession, _ task: URLSessionTask, _ kind: KeyPath<DelegateHub.Listener, Delegate?>,
        forContent: Bool = false
    ) -> Delegate? {
        guard let parts = task.parts, parts.delegate === self, !(forContent && parts.hasHandler),
            let listener = session.hub?.listener, listener.session !== self
        else { return nil }
        return listener[keyPath: kind]
    }
}

// What a delegate does that does not implement a method: one of a task passes the call on to that of the session.
extension URLSessionTaskDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}
    /// Continues.
    @preconcurrency public func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        completionHandler(.continueLoading, nil)
    }
    /// Asks the session's delegate in place of a task's own; without it, follows.
    @preconcurrency public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let next = next(session, task, \.task) else { return completionHandler(request) }
        next.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }
    /// Asks the session's delegate in place of a task's own; without it, performs the default handling.
    @preconcurrency public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let next = next(session, task, \.task) else { return completionHandler(.performDefaultHandling, nil) }
        next.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
    /// Asks the session's delegate in place of a task's own; without it, has none.
    @preconcurrency public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let next = next(session, task, \.task) else { return completionHandler(nil) }
        next.urlSession(session, task: task, needNewBodyStream: completionHandler)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        next(session, task, \.task)?.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        next(session, task, \.task)?.urlSession(session, taskIsWaitingForConnectivity: task)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        next(session, task, \.task)?.urlSession(session, task: task, didFinishCollecting: metrics)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        next(session, task, \.task)?.urlSession(session, task: task, didCompleteWithError: error)
    }
}

extension URLSessionDataDelegate {
    /// Asks the session's delegate in place of a task's own; without it, allows.
    @preconcurrency public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: any URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let next = next(session, dataTask, \.data) else { return completionHandler(.allow) }
        next.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) {
        next(session, dataTask, \.data)?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
    ) {}
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        next(session, dataTask, \.data, forContent: true)?.urlSession(session, dataTask: dataTask, didReceive: data)
    }
    /// Asks the session's delegate in place of a task's own; without it, stores the proposed response.
    @preconcurrency public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let next = next(session, dataTask, \.data) else { return completionHandler(proposedResponse) }
        next.urlSession(
            session, dataTask: dataTask, willCacheResponse: proposedResponse, completionHandler: completionHandler)
    }
}

extension URLSessionDownloadDelegate {
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        next(session, downloadTask, \.download, forContent: true)?.urlSession(
            session, downloadTask: downloadTask, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        next(session, downloadTask, \.download, forContent: true)?.urlSession(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset, expectedTotalBytes: expectedTotalBytes)
    }
}

extension URLSessionStreamDelegate {
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
        next(session, streamTask, \.stream)?.urlSession(session, readClosedFor: streamTask)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
        next(session, streamTask, \.stream)?.urlSession(session, writeClosedFor: streamTask)
    }
    /// Does nothing.
    public func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) {}
    /// Does nothing.
    public func urlSession(
        _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
        outputStream: OutputStream
    ) {}
}

extension URLSessionWebSocketDelegate {
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) {
        next(session, webSocketTask, \.webSocket)?.urlSession(
            session, webSocketTask: webSocketTask, didOpenWithProtocol: `protocol`)
    }
    /// Tells the session's delegate in place of a task's own.
    public func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        next(session, webSocketTask, \.webSocket)?.urlSession(
            session, webSocketTask: webSocketTask, didCloseWith: closeCode, reason: reason)
    }
}
