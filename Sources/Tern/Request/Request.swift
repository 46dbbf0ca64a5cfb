// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// A request on its way: hides the task, and is what the chained calls are made on. Any thread, any time.
///
/// Letting go of it lets it run on; its handlers are called all the same.
///
/// Sendable because it and its subclasses store only what is immutable or locks itself.
public class Request: @unchecked Sendable {
    /// The task; nil if no request could be built.
    public let task: SessionTask?
    /// What is asked for; nil if it could not be built.
    public let request: URLRequest?
    private let taskDelegate: any TaskDelegate
    let context: RequestContext

    init(request: URLRequest?, task: SessionTask?, taskDelegate: any TaskDelegate, context: RequestContext) {
        self.request = request
        self.task = task
        self.taskDelegate = taskDelegate
        self.context = context
    }

    /// The head of the response, as soon as it is there.
    public var response: HTTPURLResponse? { taskDelegate.response }

    /// Starts the request, or takes back one `suspend()`. A request that could not be built calls its handlers now.
    public func resume() {
        if let task { task.resume() } else { taskDelegate.completeWithoutTask() }
    }

    /// Stops reading from the socket until `resume()`, which slows the server down. Counted.
    public func suspend() {
        task?.suspend()
    }

    /// Ends the request with ``TernEngine/EngineError/Reason/cancelled``, unless it has completed.
    public func cancel() {
        task?.cancel()
    }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible {
    /// "METHOD url (status)", as far as known; without userinfo.
    public var description: String {
        guard let request else { return "" }
        return Redaction.summary(request) + (response.map { " (\($0.statusCode))" } ?? "")
    }

    /// A curl command that makes the same request, with credentials and what is marked as sensitive left out.
    public var debugDescription: String {
        let command = request.flatMap {
            CurlCommand($0, defaultHeaders: context.defaultHeaders, sensitiveFields: context.sensitiveFields)
        }
        return command?.description ?? "$ curl command could not be created"
    }
}
