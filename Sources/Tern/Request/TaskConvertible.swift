// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernLock

/// What a request was made of: kept as it was given, so that each retry starts from there.
protocol TaskSource: Sendable {
    /// A task that asks for it.
    func task(telling delegate: TaskDelegate) throws -> SessionTask
}

/// A request that the manager's adapter may change.
protocol TaskConvertible: TaskSource {
    /// What is asked for, before any adapter.
    var urlRequest: URLRequest { get }

    /// A task that asks for `adapted`.
    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) throws -> SessionTask

    /// A task that asks for what the manager's adapter makes of it.
    func task(telling delegate: TaskDelegate) throws -> SessionTask
}

extension TaskConvertible {
    func task(telling delegate: TaskDelegate) throws -> SessionTask {
        let adapted: URLRequest
        do {
            adapted = try delegate.context.hub.adapt(urlRequest)
        } catch {
            throw AdaptError(underlying: error)
        }
        return try task(adapted, telling: delegate)
    }
}

/// What an adapter threw: a retrier is asked about that, and about no other reason not to have a task.
struct AdaptError: Error {
    let underlying: any Error
}

/// Asks for data.
struct Requestable: TaskConvertible {
    let urlRequest: URLRequest

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.dataTask(with: adapted, delegate: delegate.receiver)
    }
}

/// Sends content that can be sent again.
struct Uploadable: TaskConvertible {
    let urlRequest: URLRequest
    let content: RequestContent

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.uploadTask(with: adapted, from: content, delegate: delegate.receiver)
    }
}

/// Sends the content that the request has itself.
struct StreamedUploadable: TaskConvertible {
    let urlRequest: URLRequest

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.uploadTask(withStreamedRequest: adapted, delegate: delegate.receiver)
    }
}

/// Sends a stream, which can be read once: a retry needs another one, from whoever is asked for new streams.
final class StreamUploadable: TaskConvertible {
    let urlRequest: URLRequest
    private let content: Lock<RequestContent?>

    init(_ urlRequest: URLRequest, _ stream: sending InputStream) {
        self.urlRequest = urlRequest
        content = Lock(.inputStream(stream))
    }

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) throws -> SessionTask {
        guard let content = content.withLock({ $0.take() }) ?? another(for: delegate) else {
            throw RequestContentError.alreadyUsed
        }
        return delegate.context.session.uploadTask(with: adapted, from: content, delegate: delegate.receiver)
    }

    private func another(for delegate: TaskDelegate) -> RequestContent? {
        let closure = delegate.context.hub.newStream ?? delegate.taskNeedNewBodyStream
        guard let last = delegate.task, let stream = closure?(delegate.context.session, last) else { return nil }
        // Whoever brought it has no more business with it.
        nonisolated(unsafe) let brought = stream
        return unsafe .inputStream(brought)
    }
}
