// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// A request that sends content of its own: data, a file, or a stream. The answer is collected as that of any other.
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

    /// Fails with `error`, having got no further than `request`.
    convenience init(sending request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        self.init(nil, uploadDelegate: UploadTaskReceiver(request: request, error: error, context: context))
    }

    /// The delegate of the request's task.
    open override var delegate: UploadTaskDelegate { uploadDelegate }

    /// How much of the content has been sent, in bytes; the total is -1 if it is not known. The holder may cancel,
    /// suspend and resume the request by it.
    open var uploadProgress: Progress { uploadDelegate.uploadProgress }

    /// Tells the closure how much of the content has been sent, on `queue` or else on the manager's callback queue. A
    /// closure that is busy receives one report for all changes meanwhile. Begins again at 0 where the content is sent
    /// again.
    @preconcurrency @discardableResult
    open func uploadProgress(queue: DispatchQueue? = nil, closure: @escaping ProgressHandler) -> Self {
        uploadDelegate.tell(uploadDelegate.sentReport, on: queue, closure)
        return self
    }

    /// How much of the content has been sent, as it changes. Begins with what there is already, and ends with the
    /// request. Each element is a `Progress` of its own, which does not change any more.
    ///
    /// - Parameter bufferingPolicy: what to keep for a busy reader; by default the latest.
    open func uploadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Progress> {
        uploadDelegate.updates(of: uploadDelegate.sentReport, bufferingPolicy)
    }
}
