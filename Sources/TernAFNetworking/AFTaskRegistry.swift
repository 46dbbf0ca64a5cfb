// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TernLock

/// The tasks of a manager that have not ended, by identifier, with their requests.
final class AFTaskRegistry: Sendable {
    private enum Entry {
        case data(DataRequest, SessionDataTask)
        case upload(UploadRequest, SessionUploadTask)
        case download(DownloadRequest, SessionDownloadTask)
        /// A data or upload task that became a download.
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
    private let current = Lock(AFSettings())

    init(queue: DispatchQueue) { self.queue = queue }

    var settings: AFSettings {
        get { current.withLock { $0 } }
        set { current.replace(newValue) }
    }
}

extension AFTaskRegistry {
    /// Returns nil if the request has no task of this kind.
    @discardableResult
    func add(
        _ request: DataRequest, _ progress: Request.ProgressHandler?,
        _ handler: AFCompletion.Handler?
    ) -> SessionDataTask? {
        guard let task = request.task as? SessionDataTask else { return nil }
        if let progress { request.downloadProgress(closure: progress) }
        entries.withLock { $0[task.taskIdentifier] = .data(request, task) }
        awaitEnd(of: request, task, handler)
        return task
    }

    /// Returns nil if the request has no task of this kind.
    @discardableResult
    func add(
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

    /// Returns nil if the request has no task of this kind.
    @discardableResult
    func add(
        _ request: DownloadRequest, _ progress: Request.ProgressHandler?, _ mover: AFFileMover,
        _ handler: AFCompletion.Handler?
    ) -> SessionDownloadTask? {
        guard let task = request.task as? SessionDownloadTask else { return nil }
        if let progress { request.downloadProgress(closure: progress) }
        request.delegate.downloadTaskDidFinishDownloadingToURL = { mover.move($2, of: $1, in: $0) }
        entries.withLock { $0[task.taskIdentifier] = .download(request, task) }
        request.response { [self, afterReports = request.afterReports] response in
            finish(AFCompletion(task: task, download: response, handler: handler), afterReports)
        }
        return task
    }

    private func awaitEnd(
        of request: DataRequest, _ task: SessionTask, _ handler: AFCompletion.Handler?
    ) {
        request.response { [self, weak request, afterReports = request.afterReports] response in
            let (task, file) = (request?.task ?? task, request?.delegate.file)
            finish(AFCompletion(task: task, data: response, file: file, handler: handler), afterReports)
        }
    }

    private func finish(_ completion: AFCompletion, _ afterReports: Request.Deferral) {
        let last = entries.withLock { $0.removeValue(forKey: completion.task.taskIdentifier) }
        afterReports { [self] in completion.run(settings, queue, group) }
        withExtendedLifetime(last) {}
    }

    /// Replaces a data task by the download that it became.
    func move(_ task: SessionDataTask, to download: SessionDownloadTask, _ mover: AFFileMover) {
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
        request?.delegate.setFileMover { mover.move($2, of: $1, in: $0) }
    }
}

extension AFTaskRegistry {
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
