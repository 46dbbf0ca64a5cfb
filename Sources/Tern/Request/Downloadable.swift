// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

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

    func task(telling _: TaskDelegate) throws -> SessionTask {
        try delegate.context.session.downloadTask(
            withResumeData: delegate.resumeData ?? resumeData, delegate: delegate.receiver)
    }
}
