// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TernLock

/// The blocks of a manager that its session's hub does not have.
final class AFBlocks: Sendable {
    struct Blocks {
        var sessionInvalid: (@Sendable (Session, (any Error)?) -> Void)?
        var becameDownload: (@Sendable (Session, SessionDataTask, SessionDownloadTask) -> Void)?
        var fileFinished: (@Sendable (Session, SessionDownloadTask, URL) -> URL?)?
    }

    private let blocks = Lock(Blocks())

    subscript<Block: Sendable>(_ path: WritableKeyPath<Blocks, Block?>) -> Block? {
        get { blocks.withLock { $0[keyPath: path] } }
        set { blocks.replace(path, with: newValue) }
    }
}

/// Moves a complete file to the location that the manager's block returns, or else the task's destination. A file that
/// cannot be moved stays where it is: a notification reports it, and the task succeeds.
struct AFFileMover: Sendable {
    let blocks: AFBlocks
    var destination: (@Sendable (URL, HTTPURLResponse) -> URL)?

    /// Moves the file, and returns its destination. On the callback queue.
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
