// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

// Downloads, and tasks that become one.
extension TaskDelegateAdapter {
    func task(_ task: SessionTask, didBecome download: SessionDownloadTask) {
        context.tasks.add(download, inPlaceOf: task)
        become(download)
        relay(.became(download), of: task)
    }

    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64) {
        hear(.resumed(at: fileOffset, of: expectedTotalBytes), of: task)
    }

    func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        hear(.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite), of: task)
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        task.keepFile()
        hear(.arrived(location), of: task)
    }

    private func hear(_ event: DownloadEvent, of task: SessionDownloadTask) {
        if relays { relay(.download(task, event), of: task) } else { take(event) }
    }
}

/// The delegate of a download request's task.
final class DownloadTaskReceiver: DownloadTaskDelegate, TaskDelegateAdapter, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }
}
