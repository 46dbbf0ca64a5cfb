// SPDX-License-Identifier: Apache-2.0
package import TernEngine

// Requests that adopt tasks created on the session itself. They receive the events after that.
extension SessionManager {
    /// Those that have not ended and belong to no request.
    package var strayTasks: [SessionTask] { delegate.strays.all }

    package func adopt(_ task: SessionDataTask) -> DataRequest {
        let again = Requestable(urlRequest: task.originalRequest)
        return adopt(task, DataRequest(adopting: AdoptedTask(task, again: again), context: context))
    }

    package func adopt(_ task: SessionUploadTask) -> UploadRequest {
        let again = StreamedUploadable(urlRequest: task.originalRequest)
        return adopt(task, UploadRequest(sending: AdoptedTask(task, again: again), context: context))
    }

    package func adopt(_ task: SessionDownloadTask) -> DownloadRequest {
        adopt(task, DownloadRequest(adopting: task, context: context))
    }

    private func adopt<Kind: Request>(_ task: SessionTask, _ request: Kind) -> Kind {
        delegate.strays.remove(task)
        let request = start(request)
        // The task may have ended just before the request was registered.
        if task.state == .completed { request.delegate.complete(with: task.error) }
        return request
    }
}
