// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

// Tasks with a completion handler, which is called once, on the session's `delegateQueue`. The session's delegate gets
// redirects and challenges, but no response. `resume()` starts a task.
extension Session {
    /// What a completion handler of data gets: the body and the head, or an error.
    public typealias DataHandler = @Sendable (Data?, (any URLResponse)?, (any Error)?) -> Void
    /// The same with the URL of a file, which is removed when the handler returns, unless the handler has moved it.
    public typealias FileHandler = @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void

    /// Creates a task that collects the body, at most `maximumCollectedBodySize` bytes of it.
    @preconcurrency
    public func dataTask(with request: URLRequest, completionHandler: @escaping DataHandler) -> SessionDataTask {
        guard hub != nil else { return dataTask(with: request) { result in Self.tell(completionHandler, result) } }
        return dataTask(with: request).calling(completionHandler)
    }

    /// The same for a URL.
    @preconcurrency
    public func dataTask(with url: URL, completionHandler: @escaping DataHandler) -> SessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that calls the session's delegate.
    public func dataTask(with url: URL) -> SessionDataTask { dataTask(with: URLRequest(url: url)) }

    /// Creates a task with data as the request body. A request without a method is not sent: `dataLengthExceedsMaximum`.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?, completionHandler: @escaping DataHandler
    ) -> SessionUploadTask {
        let content = RequestBody.data(bodyData ?? Data())
        let request = request.forUpload
        guard hub != nil else {
            return uploadTask(with: request, from: content) { result in Self.tell(completionHandler, result) }
        }
        return uploadTask(with: request, from: content).calling(completionHandler)
    }

    /// The same with a file as the request body.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, completionHandler: @escaping DataHandler
    ) -> SessionUploadTask {
        let content = RequestBody.file(path: fileURL.path)
        let request = request.forUpload
        guard hub != nil else {
            return uploadTask(with: request, from: content) { result in Self.tell(completionHandler, result) }
        }
        return uploadTask(with: request, from: content).calling(completionHandler)
    }

    /// Creates a task with data as the request body that calls the session's delegate.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> SessionUploadTask {
        uploadTask(with: request.forUpload, from: .data(bodyData))
    }

    /// The same with a file as the request body.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> SessionUploadTask {
        uploadTask(with: request.forUpload, from: .file(path: fileURL.path))
    }

    /// Creates a task that sends the stream of the request; without one, the stream that the delegate has for it
    /// (`needNewBodyStream`).
    public func uploadTask(withStreamedRequest request: URLRequest) -> SessionUploadTask {
        guard let hub, request.body == nil else { return streamedUpload(request) }
        let content = DelegateContent()
        var request = request
        request.body = .once(content)
        let task = streamedUpload(request)
        content.adopt(by: task, of: self, hub)
        return task
    }

    /// Creates a task that downloads to a temporary file.
    @preconcurrency
    public func downloadTask(
        with request: URLRequest, completionHandler: @escaping FileHandler
    ) -> SessionDownloadTask {
        guard hub != nil else { return downloadTask(with: request, delegate: DownloadCollector(completionHandler)) }
        return downloadTask(with: request).calling(completionHandler)
    }

    /// The same for a URL.
    @preconcurrency
    public func downloadTask(with url: URL, completionHandler: @escaping FileHandler) -> SessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that downloads to a temporary file and calls the session's delegate.
    public func downloadTask(with url: URL) -> SessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    /// Creates a task that continues a download. Resume data that was not made by Tern, or was used before, fails the
    /// task with the reason.
    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data, completionHandler: @escaping FileHandler
    ) -> SessionDownloadTask {
        guard hub != nil else {
            return downloadTask(continuing: resumeData, delegate: DownloadCollector(completionHandler))
        }
        return downloadTask(withResumeData: resumeData).calling(completionHandler)
    }

    /// The same, calling the session's delegate.
    public func downloadTask(withResumeData resumeData: Data) -> SessionDownloadTask {
        let hub = hub
        let task = downloadTask(continuing: resumeData, delegate: hub ?? DelegateHub(nil, nil))
        hub?.session(self, didCreate: task)
        return task
    }

    /// The tasks that were created, have not ended and are not being cancelled.
    @preconcurrency
    public func getAllTasks(completionHandler: @escaping @Sendable ([SessionTask]) -> Void) {
        guard let hub else {
            let tasks = startedTasks
            return DispatchQueue.global().async { completionHandler(tasks) }
        }
        hub.events.perform {
            completionHandler(hub.events.tasks.all.filter { $0.state == .running || $0.state == .suspended })
        }
    }

    /// The same, by kind. An upload task is not listed as a data task, though its type is a subclass of one.
    @preconcurrency
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([SessionDataTask], [SessionUploadTask], [SessionDownloadTask]) -> Void
    ) {
        getAllTasks { tasks in
            let (data, uploads, downloads) = Self.kinds(of: tasks)
            completionHandler(data, uploads, downloads)
        }
    }

    /// The tasks that were created, have not ended and are not being cancelled.
    public var allTasks: [SessionTask] {
        get async { await withCheckedContinuation { done in getAllTasks { done.resume(returning: $0) } } }
    }

    /// The same, by kind.
    public var tasks: ([SessionDataTask], [SessionUploadTask], [SessionDownloadTask]) {
        get async {
            let tasks = await withCheckedContinuation { done in getAllTasks { done.resume(returning: $0) } }
            return Self.kinds(of: tasks)
        }
    }

    private static func kinds(
        of tasks: [SessionTask]
    ) -> ([SessionDataTask], [SessionUploadTask], [SessionDownloadTask]) {
        (
            tasks.filter { !($0 is SessionUploadTask) }.compactMap { $0 as? SessionDataTask },
            tasks.compactMap { $0 as? SessionUploadTask }, tasks.compactMap { $0 as? SessionDownloadTask }
        )
    }

    /// Removes the cookies, stored responses and credentials of the session's storages, also from their files, has new
    /// requests use new connections, and calls the handler on the `delegateQueue`. A storage that other sessions use, such
    /// as `URLCredentialStorage.shared`, is empty for them, too.
    @preconcurrency
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
        configuration.httpCookieStorage?.removeCookies(since: .distantPast)
        configuration.urlCache?.removeAllCachedResponses()
        if let storage = configuration.urlCredentialStorage {
            for (space, credentials) in storage.allCredentials {
                for credential in credentials.values { storage.remove(credential, for: space) }
            }
        }
        renewConnections()
        delegateQueue.addOperation(QueuedBlock(completionHandler))
    }

    /// Has new requests use new connections, and calls the handler on the `delegateQueue`. Storages in files are written as
    /// they change.
    @preconcurrency
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        renewConnections()
        delegateQueue.addOperation(QueuedBlock(completionHandler))
    }

    /// The same as an async function.
    public func reset() async { await withCheckedContinuation { done in reset { done.resume() } } }

    /// The same as an async function.
    public func flush() async { await withCheckedContinuation { done in flush { done.resume() } } }

    private static func tell(
        _ completionHandler: DataHandler, _ result: Swift.Result<(Data, HTTPURLResponse), SessionError>
    ) {
        switch result {
        case .success((let data, let response)): completionHandler(data, response.shown, nil)
        case .failure(let error): completionHandler(nil, nil, error)
        }
    }
}

extension URLRequest {
    /// One without a method is refused, as in URLSession: it would be a GET with content.
    fileprivate var forUpload: URLRequest {
        if isMethodNamed { return self }
        var request = self
        request.httpMethod = "GET"
        request.refuse(.contentWithoutMethod)
        return request
    }
}

extension SessionDataTask {
    fileprivate func calling(_ handler: @escaping TaskParts.DataHandler) -> Self {
        parts?.call(handler)
        return self
    }
}

extension SessionDownloadTask {
    fileprivate func calling(_ handler: @escaping TaskParts.FileHandler) -> SessionDownloadTask {
        parts?.call(handler)
        return self
    }
}
