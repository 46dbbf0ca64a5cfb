// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Calls the completion handler of a download, with the file or the error.
final class DownloadCollector: SessionDownloadDelegate {
    private let completionHandler: @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void

    init(_ completionHandler: @escaping @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void) {
        self.completionHandler = completionHandler
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        completionHandler(location, task.response, nil)
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        if let error { completionHandler(nil, task.response, error) }
    }
}
