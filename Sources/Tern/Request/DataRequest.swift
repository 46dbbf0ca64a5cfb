// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// A request whose response is collected in memory, or streamed.
///
/// Handlers run on the manager's callback queue, one after another in the order they were added, once the response is
/// complete and validated; one that is added later runs at once. A handler receives every failure as the error of the
/// response: a request that could not be built, a failed validation, a lost connection.
open class DataRequest: Request, @unchecked Sendable {
    private let dataDelegate: DataTaskDelegate

    init(_ original: (any TaskConvertible)?, delegate: DataTaskDelegate) {
        dataDelegate = delegate
        super.init(original, delegate: delegate)
    }

    /// Sends a new request.
    convenience init(_ urlRequest: URLRequest, context: RequestContext) {
        self.init(
            Requestable(urlRequest: urlRequest), delegate: DataTaskReceiver(request: urlRequest, context: context))
    }

    /// Uses an existing task.
    convenience init(adopting original: AdoptedTask, context: RequestContext) {
        self.init(original, delegate: DataTaskReceiver(request: original.urlRequest, context: context))
    }

    /// Fails with `error`, after `request` was built, if it was.
    convenience init(_ request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        self.init(nil, delegate: DataTaskReceiver(request: request, error: error, context: context))
    }

    /// The delegate of the request's task.
    open override var delegate: DataTaskDelegate { dataDelegate }

    /// How much of the body has arrived, in bytes; the total is -1 if it is unknown. The `Progress` can cancel, suspend
    /// and resume the request.
    open var progress: Progress { dataDelegate.progress }

    /// Passes the body to the closure as it arrives, on the callback queue, instead of collecting it: responses have no
    /// data then. Bytes received before come first. While the closure is busy the socket waits. Survives retries.
    ///
    /// - Parameter closure: nil collects the rest of the body.
    @preconcurrency @discardableResult
    open func stream(closure: (@Sendable (Data) -> Void)? = nil) -> Self {
        dataDelegate.stream(closure)
        return self
    }

    /// Has `handler` answer what the session's cache stores of the response, unless the hub's closure or a subclass does.
    ///
    /// Set it before the first response handler, with which the request is sent: a response that is complete before is
    /// stored as it is.
    @discardableResult
    open func cacheResponse(using handler: any CachedResponseHandler) -> Self {
        dataDelegate.setOverride(\.cachedResponseHandler, handler)
        return self
    }

    /// Calls the closure with the progress of the body, on `queue` or else on the manager's callback queue. A busy
    /// closure receives one report for all changes meanwhile.
    @preconcurrency @discardableResult
    open func downloadProgress(queue: DispatchQueue? = nil, closure: @escaping ProgressHandler) -> Self {
        dataDelegate.tell(dataDelegate.receivedReport, on: queue, closure)
        return self
    }

    /// The progress of the body as a sequence. Begins with the current progress, and ends with the request. Each
    /// element is a `Progress` of its own, which does not change any more.
    ///
    /// - Parameter bufferingPolicy: the elements to keep for a busy reader; by default the latest.
    open func downloadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Progress> {
        dataDelegate.updates(of: dataDelegate.receivedReport, bufferingPolicy)
    }
}

/// A request that sends content of its own: data, a file, or a stream. The response is collected like any other.
open class UploadRequest: DataRequest, @unchecked Sendable {
    private let uploadDelegate: UploadTaskDelegate

    private init(_ original: (any TaskConvertible)?, uploadDelegate: UploadTaskDelegate) {
        self.uploadDelegate = uploadDelegate
        super.init(original, delegate: uploadDelegate)
    }

    /// Sends the request and body of `original`.
    convenience init(sending original: any TaskConvertible, context: RequestContext) {
        self.init(original, uploadDelegate: UploadTaskReceiver(request: original.urlRequest, context: context))
    }

    /// Fails with `error`, after `request` was built, if it was.
    convenience init(sending request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        self.init(nil, uploadDelegate: UploadTaskReceiver(request: request, error: error, context: context))
    }

    /// The delegate of the request's task.
    open override var delegate: UploadTaskDelegate { uploadDelegate }

    /// How much of the content has been sent, in bytes; the total is -1 if it is unknown. The `Progress` can cancel,
    /// suspend and resume the request.
    open var uploadProgress: Progress { uploadDelegate.uploadProgress }

    /// Calls the closure with the progress of the content, on `queue` or else on the manager's callback queue. A busy
    /// closure receives one report for all changes meanwhile. Starts at 0 again if the content is sent again.
    @preconcurrency @discardableResult
    open func uploadProgress(queue: DispatchQueue? = nil, closure: @escaping ProgressHandler) -> Self {
        uploadDelegate.tell(uploadDelegate.sentReport, on: queue, closure)
        return self
    }

    /// The progress of the content as a sequence. Begins with the current progress, and ends with the request. Each
    /// element is a `Progress` of its own, which does not change any more.
    ///
    /// - Parameter bufferingPolicy: the elements to keep for a busy reader; by default the latest.
    open func uploadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Progress> {
        uploadDelegate.updates(of: uploadDelegate.sentReport, bufferingPolicy)
    }
}
