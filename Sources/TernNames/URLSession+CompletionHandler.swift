// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

extension Session {
    /// A shared session with the default configuration.
    public static let shared = Session()

    /// Makes a task that collects the body and tells the handler once, on a thread of the session's. Call `resume()` to
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

    /// The same with data sent along.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionUploadTask {
        uploadTask(with: request, from: .data(bodyData ?? Data())) { result in Self.tell(completionHandler, result) }
    }

    /// The same with a file sent along.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    ) -> SessionUploadTask {
        uploadTask(with: request, from: .file(path: fileURL.path)) { result in Self.tell(completionHandler, result) }
    }

    /// Makes a task that downloads to a temporary file and tells the handler where it is, once, on a thread of the
    /// session's. The file is removed when the handler returns, unless it has moved it. Call `resume()` to start it.
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

    /// The same, by kind. An upload is no data task here, though its type is one's subclass.
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
