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
    }

    private let queue: DispatchQueue
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

    /// Nil if the request has no such task.
    func enter(
        _ request: DataRequest, _ progress: AFURLSessionManager.ProgressHandler?,
        _ handler: AFURLSessionManager.CompletionHandler?
    ) -> SessionDataTask? {
        guard let task = request.task as? SessionDataTask else { return nil }
        if let progress { request.downloadProgress(closure: progress) }
        enter(.data(request, task), request, task, handler)
        return task
    }

    /// Nil if the request has no such task.
    func enter(
        _ request: UploadRequest, _ sent: AFURLSessionManager.ProgressHandler?,
        _ received: AFURLSessionManager.ProgressHandler?, _ handler: AFURLSessionManager.CompletionHandler?
    ) -> SessionUploadTask? {
        guard let task = request.task as? SessionUploadTask else { return nil }
        if let sent { request.uploadProgress(closure: sent) }
        if let received { request.downloadProgress(closure: received) }
        enter(.upload(request, task), request, task, handler)
        return task
    }

    private func enter(
        _ entry: Entry, _ request: DataRequest, _ task: SessionTask, _ handler: AFURLSessionManager.CompletionHandler?
    ) {
        entries.withLock { $0[task.taskIdentifier] = entry }
        request.response { [self] response in
            let last = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            AFCompletion(task: task, response: response, handler: handler).run(settings, queue, group)
            withExtendedLifetime(last) {}
        }
    }

    var tasks: [SessionTask] {
        entries.withLock { entries in
            entries.values.map { entry -> SessionTask in
                switch entry {
                case .data(_, let task): task
                case .upload(_, let task): task
                }
            }
        }
    }

    var dataTasks: [SessionDataTask] {
        entries.withLock { $0.values.compactMap { if case .data(_, let task) = $0 { task } else { nil } } }
    }

    var uploadTasks: [SessionUploadTask] {
        entries.withLock { $0.values.compactMap { if case .upload(_, let task) = $0 { task } else { nil } } }
    }

    func uploadProgress(of task: SessionTask) -> Progress? {
        guard case .upload(let request, _)? = entry(of: task) else { return nil }
        return request.uploadProgress
    }

    func downloadProgress(of task: SessionTask) -> Progress? {
        switch entry(of: task) {
        case .data(let request, _)?: request.progress
        case .upload(let request, _)?: request.progress
        case nil: nil
        }
    }

    private func entry(of task: SessionTask) -> Entry? { entries.withLock { $0[task.taskIdentifier] } }
}
