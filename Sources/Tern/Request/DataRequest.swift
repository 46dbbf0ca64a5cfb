// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// A request whose response is collected in memory, or streamed.
///
/// Handlers run on the manager's callback queue, one after another in the order they were added, once the response is
/// complete and validated; one that is added later runs at once. A request that could not be built, a failed validation and
/// a lost connection all arrive there as the error of the response.
public final class DataRequest: Request, @unchecked Sendable {
    let delegate: DataTaskDelegate

    /// Asks `session` for it.
    init(_ request: URLRequest, session: Session, context: RequestContext) {
        delegate = DataTaskDelegate(request: request, context: context)
        super.init(
            request: request, task: session.dataTask(with: request, delegate: delegate), taskDelegate: delegate,
            context: context)
    }

    /// Fails with `error`, having got no further than `request`.
    init(_ request: URLRequest?, failedWith error: any Error, context: RequestContext) {
        delegate = DataTaskDelegate(request: request, error: error, context: context)
        super.init(request: request, task: nil, taskDelegate: delegate, context: context)
    }

    /// Hands the body to the closure as it comes, on the callback queue, in place of collecting it: responses have no data
    /// then. What has come before goes first. While the closure is busy the socket waits.
    ///
    /// - Parameter closure: nil collects what comes from now on.
    @discardableResult
    public func stream(closure: (@Sendable (Data) -> Void)? = nil) -> Self {
        delegate.stream(closure)
        return self
    }
}
