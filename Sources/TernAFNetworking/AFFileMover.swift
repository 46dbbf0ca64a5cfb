// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// Takes a complete file to where the manager's block wants it, or else the task's destination: one of them is asked,
/// once. A file that cannot be moved stays where it is, which is told and is no failure of the task.
struct AFFileMover: Sendable {
    let blocks: AFBlocks
    var destination: (@Sendable (URL, HTTPURLResponse) -> URL)?

    /// Where the file is to be. On the callback queue.
    func move(_ location: URL, of task: SessionDownloadTask, in session: Session) -> URL {
        guard let target = blocks[\.fileFinished]?(session, task, location) ?? destination(of: task, location) else {
            return location
        }
        do {
            try FileMove(from: location, to: target).perform([])
            NotificationCenter.default.post(name: .AFURLSessionDownloadTaskDidMoveFileSuccessfully, object: task)
        } catch {
            NotificationCenter.default.post(
                name: .AFURLSessionDownloadTaskDidFailToMoveFile, object: task, userInfo: (error as NSError).userInfo)
        }
        return target
    }

    private func destination(of task: SessionDownloadTask, _ location: URL) -> URL? {
        guard let destination, let response = task.response else { return nil }
        return destination(location, response)
    }
}
