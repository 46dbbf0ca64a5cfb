// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernFoundation
import TernLock

/// The source of a request, kept as given, so that each retry starts from it.
protocol TaskSource: Sendable {
    /// Creates the task.
    ///
    /// - Parameter key: the `Idempotency-Key` of the request's tasks so far, which an adapter may have added; nil without one.
    func task(telling delegate: TaskDelegate, keeping key: String?) throws -> SessionTask
}

/// A request that the manager's adapter may change.
protocol TaskConvertible: TaskSource {
    /// The request before any adapter.
    var urlRequest: URLRequest { get }

    /// Creates a task of `adapted`.
    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) throws -> SessionTask

    /// Creates a task of the adapter's result.
    func task(telling delegate: TaskDelegate, keeping key: String?) throws -> SessionTask
}

extension TaskConvertible {
    func task(telling delegate: TaskDelegate, keeping key: String?) throws -> SessionTask {
        var adapted: URLRequest
        do {
            adapted = try delegate.context.interception.adapt(urlRequest)
        } catch {
            throw AdaptError(underlying: error)
        }
        if let key { adapted.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        return try task(adapted, telling: delegate)
    }
}

/// An adapter's error: a retrier is asked about it, and about no other reason for a missing task.
struct AdaptError: Error {
    let underlying: any Error
}

/// Creates data tasks.
struct Requestable: TaskConvertible {
    let urlRequest: URLRequest

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.dataTask(with: adapted, delegate: delegate.receiver)
    }
}

/// Sends content that can be sent again.
struct Uploadable: TaskConvertible {
    let urlRequest: URLRequest
    let content: RequestBody

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.uploadTask(with: adapted, from: content, delegate: delegate.receiver)
    }
}

/// Sends the content of the request itself.
struct StreamedUploadable: TaskConvertible {
    let urlRequest: URLRequest

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        delegate.context.session.uploadTask(withStreamedRequest: adapted, delegate: delegate.receiver)
    }
}

/// Sends a stream, which can be read once: a retry needs another one, from the closure for new streams. As with
/// URLSession a `Content-Length` of the request gives its length; without one it is sent in chunks.
final class StreamUploadable: TaskConvertible {
    let urlRequest: URLRequest
    private let content: Lock<RequestBody?>

    init(_ urlRequest: URLRequest, _ stream: sending InputStream) {
        self.urlRequest = urlRequest
        content = Lock(.inputStream(stream))
    }

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) throws -> SessionTask {
        guard let content = content.withLock({ $0.take() }) ?? another(for: delegate) else {
            throw RequestBodyError.alreadyUsed
        }
        return delegate.context.session.uploadTask(with: adapted, from: content, delegate: delegate.receiver)
    }

    private func another(for delegate: TaskDelegate) -> RequestBody? {
        let closure = delegate.context.hub.newStream ?? delegate.taskNeedNewBodyStream
        guard let last = delegate.task, let stream = closure?(delegate.context.session, last) else { return nil }
        // The closure hands the stream over.
        nonisolated(unsafe) let received = stream
        return unsafe .inputStream(received)
    }
}

/// Downloads a file. A retry resumes where the last attempt ended, if it can.
struct Downloadable: TaskConvertible {
    let urlRequest: URLRequest
    let delegate: DownloadTaskDelegate

    func task(_ adapted: URLRequest, telling _: TaskDelegate) -> SessionTask {
        let session = delegate.context.session
        if let resumeData = delegate.resumeData,
            let task = try? session.downloadTask(
                withResumeData: resumeData, request: adapted, delegate: delegate.receiver)
        {
            return task
        }
        return session.downloadTask(with: adapted, delegate: delegate.receiver)
    }
}

/// Resumes an interrupted download, with its original request: no adapter is called. A retry resumes where the last
/// attempt ended.
struct Resumable: TaskSource {
    let resumeData: Data
    let delegate: DownloadTaskDelegate

    func task(telling _: TaskDelegate, keeping _: String?) throws -> SessionTask {
        try delegate.context.session.downloadTask(
            withResumeData: delegate.resumeData ?? resumeData, delegate: delegate.receiver)
    }
}

/// A task that was created on the session itself, and how to create the same again. No adapter has changed it.
final class AdoptedTask: TaskConvertible {
    private let adopted: Lock<SessionTask?>
    private let again: any TaskConvertible

    init(_ task: SessionTask, again: any TaskConvertible) {
        adopted = Lock(task)
        self.again = again
    }

    var urlRequest: URLRequest { again.urlRequest }

    func task(telling delegate: TaskDelegate, keeping key: String?) throws -> SessionTask {
        if let task = adopted.withLock({ $0.take() }) { return task }
        return try again.task(telling: delegate, keeping: key)
    }

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) throws -> SessionTask {
        try again.task(adapted, telling: delegate)
    }
}
