// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// A request whose response is collected in memory, or streamed.
///
/// Handlers run on the manager's callback queue, one after another in the order they were added, once the response is
/// complete and validated; one that is added later runs at once. The first handler of a request that is kept and has no
/// validation waits for one until 50 milliseconds after the last chained call. A request that could not be built, a
/// failed validation and a lost connection all arrive there as the error of the response.
open class DataRequest: Request, @unchecked Sendable {
    private let dataDelegate: DataTaskDelegate

    init(_ original: (any TaskConvertible)?, delegate: DataTaskDelegate) {
        dataDelegate = delegate
        super.init(original, delegate: delegate)
    }

    /// Asks for it.
    convenience init(_ urlRequest: URLRequest, context: RequestContext) {
        self.init(
            Requestable(urlRequest: urlRequest), delegate: DataTaskReceiver(request: urlRequest, context: context))
    }

    /// Sees to a task that is there already.
    convenience init(adopting original: AdoptedTask, context: RequestContext) {
        self.init(original, delegate: DataTaskReceiver(request: original.urlRequest, context: context))
    }

    /// Fails with `error`, having got no further than `request`.
    convenience init(_ request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        self.init(nil, delegate: DataTaskReceiver(request: request, error: error, context: context))
    }

    /// The delegate of the request's task.
    open override var delegate: DataTaskDelegate { dataDelegate }

    /// How much of the body has arrived, in bytes; the total is -1 if it is not known. The holder may cancel, suspend
    /// and resume the request by it.
    open var progress: Progress { dataDelegate.progress }

    /// Hands the body to the closure as it comes, on the callback queue, in place of collecting it: responses have no
    /// data then. What has come before goes first. While the closure is busy the socket waits. Survives retries.
    ///
    /// - Parameter closure: nil collects the rest of the body.
    @preconcurrency @discardableResult
    open func stream(closure: (@Sendable (Data) -> Void)? = nil) -> Self {
        dataDelegate.stream(closure)
        return self
    }

    /// Tells the closure how much of the body has come, on `queue` or else on the manager's callback queue. A closure
    /// that is busy receives one report for all changes meanwhile.
    @preconcurrency @discardableResult
    open func downloadProgress(queue: DispatchQueue? = nil, closure: @escaping ProgressHandler) -> Self {
        dataDelegate.tell(dataDelegate.receivedReport, on: queue, closure)
        return self
    }

    /// How much of the body has arrived, as it changes. Begins with what there is already, and ends with the request.
    /// Each element is a `Progress` of its own, which does not change any more.
    ///
    /// - Parameter bufferingPolicy: what to keep for a busy reader; by default the latest.
    open func downloadProgress(
        bufferingPolicy: AsyncStream<Progress>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<Progress> {
        dataDelegate.updates(of: dataDelegate.receivedReport, bufferingPolicy)
    }
}
