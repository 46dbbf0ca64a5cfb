// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// The tasks of a manager that have not ended, by identifier, and what they are to be told by: in and out under a lock.
final class AFTaskBook: Sendable {
    /// What may be set at any time, and counts for what ends from then on.
    struct Settings {
        var serializer: any AFURLResponseSerialization = AFJSONResponseSerializer()
        var completionQueue: DispatchQueue?
        var completionGroup: DispatchGroup?
        var securityPolicy = AFSecurityPolicy()
        var reachabilityManager = AFNetworkReachabilityManager.shared()
    }

    private enum Entry {
        case data(DataRequest, SessionDataTask)
        case upload(UploadRequest, SessionUploadTask)
        case download(DownloadRequest, SessionDownloadTask)
        /// That was one of the first two kinds until its response came.
        case became(DataRequest, SessionDownloadTask)

        var task: SessionTask {
            switch self {
            case .data(_, let task): task
            case .upload(_, let task): task
            case .download(_, let task), .became(_, let task): task
            }
        }
    }

    let queue: DispatchQueue
    private let group = DispatchGroup()
    private let entries = Lock<[Int: Entry]>([:])
    private let current = Lock(Settings())

    init(queue: DispatchQueue) { self.queue = queue }

    var settings: Settings {
        get { current.withLock { $0 } }
        set {
            let old = current.withLock { current in
                let old = current
                current = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
}

// In and out
extension AFTaskBook {
    /// Nil if the request has no such task.
    @discardableResult
    func enter(
        _ request: DataRequest, _ progress: Request.ProgressHandler?,
        _ handler: AFCompletion.Handler?
    ) -> SessionDataTask? {
        guard let task = request.task as? SessionDataTask else { return nil }
        if let progress { request.downloadProgress(closure: progress) }
        entries.withLock { $0[task.taskIdentifier] = .data(request, task) }
        awaitEnd(of: request, task, handler)
        return task
    }

    /// Nil if the request has no such task.
    @discardableResult
    func enter(
        _ request: UploadRequest, _ sent: Request.ProgressHandler?,
        _ received: Request.ProgressHandler?, _ handler: AFCompletion.Handler?
    ) -> SessionUploadTask? {
        guard let task = request.task as? SessionUploadTask else { return nil }
        if let sent { request.uploadProgress(closure: sent) }
        if let received { request.downloadProgress(closure: received) }
        entries.withLock { $0[task.taskIdentifier] = .upload(request, task) }
        awaitEnd(of: request, task, handler)
        return task
    }

    /// Nil if the request has no such task.
    @discardableResult
    func enter(
        _ request: DownloadRequest, _ progress: Request.ProgressHandler?, _ placement: AFPlacement,
        _ handler: AFCompletion.Handler?
    ) -> SessionDownloadTask? {
        guard let task = request.task as? SessionDownloadTask else { return nil }
        if let progress { request.downloadProgress(closure: progress) }
        request.delegate.downloadTaskDidFinishDownloadingToURL = { placement.place($2, of: $1, in: $0) }
        entries.withLock { $0[task.taskIdentifier] = .download(request, task) }
        request.response { [self, callbacks = request.context.callbacks] response in
            finish(AFCompletion(task: task, download: response, handler: handler), on: callbacks)
        }
        request.delegate.endChain()
        return task
    }

    private func awaitEnd(
        of request: DataRequest, _ task: SessionTask, _ handler: AFCompletion.Handler?
    ) {
        // The book holds the request until then.
        request.response { [self, weak request, callbacks = request.context.callbacks] response in
            let (task, file) = (request?.task ?? task, request?.delegate.file)
            finish(AFCompletion(task: task, data: response, file: file, handler: handler), on: callbacks)
        }
        request.delegate.endChain()
    }

    /// A report of progress may still wait on the queue, and comes first.
    private func finish(_ completion: AFCompletion, on callbacks: CallbackQueue) {
        let last = entries.withLock { $0.removeValue(forKey: completion.task.taskIdentifier) }
        callbacks.post(Errand { [self] in completion.run(settings, queue, group) })
        withExtendedLifetime(last) {}
    }

    /// The task goes on as a download.
    func move(_ task: SessionDataTask, to download: SessionDownloadTask, _ placement: AFPlacement) {
        let request = entries.withLock { entries -> DataRequest? in
            let request: DataRequest
            switch entries[task.taskIdentifier] {
            case .data(let data, _)?: request = data
            case .upload(let upload, _)?: request = upload
            case .download?, .became?, nil: return nil
            }
            entries[task.taskIdentifier] = nil
            entries[download.taskIdentifier] = .became(request, download)
            return request
        }
        request?.delegate.setOverride(\.fileFinished) { placement.place($2, of: $1, in: $0) }
    }
}

// What it knows
extension AFTaskBook {
    var tasks: [SessionTask] { entries.withLock { $0.values.map(\.task) } }

    func task(_ identifier: Int) -> SessionTask? { entries.withLock { $0[identifier]?.task } }

    var dataTasks: [SessionDataTask] {
        entries.withLock { $0.values.compactMap { if case .data(_, let task) = $0 { task } else { nil } } }
    }

    var uploadTasks: [SessionUploadTask] {
        entries.withLock { $0.values.compactMap { if case .upload(_, let task) = $0 { task } else { nil } } }
    }

    var downloadTasks: [SessionDownloadTask] {
        entries.withLock { entries in
            entries.values.compactMap { entry in
                switch entry {
                case .data, .upload: nil
                case .download(_, let task), .became(_, let task): task
                }
            }
        }
    }

    func uploadProgress(of task: SessionTask) -> Progress? {
        guard case .upload(let request, _)? = entry(of: task) else { return nil }
        return request.uploadProgress
    }

    func downloadProgress(of task: SessionTask) -> Progress? {
        switch entry(of: task) {
        case .data(let request, _)?: request.progress
        case .upload(let request, _)?: request.progress
        case .download(let request, _)?: request.progress
        case .became(let request, _)?: request.progress
        case nil: nil
        }
    }

    private func entry(of task: SessionTask) -> Entry? { entries.withLock { $0[task.taskIdentifier] } }
}
