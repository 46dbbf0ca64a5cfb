// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

extension Session {
    /// A shared session with the default configuration.
    public static let shared = Session()

    /// Creates a task that collects the body and calls the handler once, on a thread of the session. Call `resume()` to
    /// start it.
    @preconcurrency
    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionDataTask {
        dataTask(with: request) { result in Self.tell(completionHandler, result) }
    }

    /// The same for a URL.
    @preconcurrency
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// The same with data as the request body.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionUploadTask {
        uploadTask(with: request, from: .data(bodyData ?? Data())) { result in Self.tell(completionHandler, result) }
    }

    /// The same with a file as the request body.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionUploadTask {
        uploadTask(with: request, from: .file(path: fileURL.path)) { result in Self.tell(completionHandler, result) }
    }

    /// Creates a task that downloads to a temporary file and calls the handler with its URL, once, on a thread of the
    /// session. The file is removed when the handler returns, unless the handler has moved it. Call `resume()` to start
    /// it.
    @preconcurrency
    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionDownloadTask {
        downloadTask(with: request, delegate: DownloadCollector(completionHandler))
    }

    /// The same for a URL.
    @preconcurrency
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// The tasks that have been started and have not ended.
    @preconcurrency
    public func getAllTasks(completionHandler: @escaping @Sendable ([SessionTask]) -> Void) {
        let tasks = allTasks
        DispatchQueue.global().async { completionHandler(tasks) }
    }

    /// The same, by kind. An upload task is not listed as a data task, though its type is a subclass of one.
    @preconcurrency
    public func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([SessionDataTask], [SessionUploadTask], [SessionDownloadTask]) -> Void
    ) {
        getAllTasks { tasks in
            completionHandler(
                tasks.filter { !($0 is SessionUploadTask) }.compactMap { $0 as? SessionDataTask },
                tasks.compactMap { $0 as? SessionUploadTask }, tasks.compactMap { $0 as? SessionDownloadTask })
        }
    }

    private static func tell(
        _ completionHandler: (Data?, HTTPURLResponse?, (any Error)?) -> Void,
        _ result: Swift.Result<(Data, HTTPURLResponse), SessionError>
    ) {
        switch result {
        case .success((let data, let response)): completionHandler(data, response, nil)
        case .failure(let error): completionHandler(nil, nil, error)
        }
    }
}
