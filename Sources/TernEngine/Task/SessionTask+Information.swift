// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

// Information about the task.
extension SessionTask {
    /// The state of the task. A task that is suspended when its session ends, or later, is `.suspended` from then on.
    public var state: State {
        let isCancelled = isCancelled
        return lifecycle.withLock { state in
            if state.isAbandoned, state.suspensions > 0 { return .suspended }
            return switch state.stage {
            case .completed: .completed
            case .created: isCancelled ? .canceling : .suspended
            case .started: isCancelled ? .canceling : state.suspensions > 0 ? .suspended : .running
            }
        }
    }

    /// The request that is sent now: the original request until a redirect is followed.
    public var currentRequest: URLRequest? { lifecycle.withLock { $0.currentRequest } ?? originalRequest }

    /// The head of the final response, as soon as it has arrived.
    public var response: HTTPURLResponse? { lifecycle.withLock { $0.response } }

    /// The times and counts of each hop; nil until the task has completed.
    public var metrics: TaskMetrics? { lifecycle.withLock { $0.stage == .completed } ? measured : nil }

    /// Why the task failed; nil while it runs and after success.
    public var error: SessionError? { lifecycle.withLock { $0.error } }

    /// The number of bytes of the response body that have arrived, as received: coded, if the body is.
    public var countOfBytesReceived: Int64 { contentCounts.received.load(ordering: .relaxed) }

    /// The number of bytes of the request body that were passed to the kernel; starts at 0 again if the request is sent
    /// again.
    public var countOfBytesSent: Int64 { contentCounts.sent.load(ordering: .relaxed) }

    /// The announced number of bytes of the response body; -1 if it was not announced, and before it is.
    public var countOfBytesExpectedToReceive: Int64 {
        response.map { $0.head.contentLength.map(Int64.init) ?? -1 } ?? -1
    }

    /// The number of bytes of the request body; of a file, those it has now. -1 if it is unknown.
    public var countOfBytesExpectedToSend: Int64 {
        originalRequest.body?.expectedLength ?? 0
    }

    /// A description set by the caller; Tern does not use it.
    public var taskDescription: String? {
        get { lifecycle.withLock { $0.description } }
        set { lifecycle.withLock { $0.description = newValue } }
    }
}
