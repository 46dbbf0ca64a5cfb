// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern
public import TernEngine
import TernLock

// The blocks. A block that is nil leaves the event to the library. Set blocks before the tasks they are for.
extension AFURLSessionManager {
    /// Sets the block that is called when the session has ended.
    @preconcurrency
    public func setSessionDidBecomeInvalidBlock(_ block: (@Sendable (Session, (any Error)?) -> Void)?) {
        blocks[\.sessionInvalid] = block
    }

    /// Answers the verdict of ``securityPolicy``; see ``Tern/SessionDelegate/sessionDidReceiveChallenge``.
    @preconcurrency
    public func setSessionDidReceiveAuthenticationChallengeBlock(
        _ block: (@Sendable (Session, Challenge) -> (ChallengeDisposition, Credential?))?
    ) {
        manager.delegate.sessionDidReceiveChallenge = block
    }

    /// Returns a new stream when a task's own has been read and must be sent again.
    @preconcurrency
    public func setTaskNeedNewBodyStreamBlock(_ block: (@Sendable (Session, SessionTask) -> InputStream?)?) {
        manager.delegate.taskNeedNewBodyStream = block
    }

    /// Returns the request that follows a redirect; nil delivers the redirect.
    @preconcurrency
    public func setTaskWillPerformHTTPRedirectionBlock(
        _ block: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    ) {
        manager.delegate.taskWillPerformHTTPRedirection = block
    }

    /// Answers a server that requests credentials, and the verdict of ``securityPolicy`` about a server if the
    /// session's block has not decided; see ``Tern/SessionDelegate/taskDidReceiveChallenge``.
    @preconcurrency
    public func setTaskDidReceiveAuthenticationChallengeBlock(
        _ block: (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))?
    ) {
        manager.delegate.taskDidReceiveChallenge = block
    }

    /// Called when content was sent, in addition to the task's progress, with the bytes since the last call, in total,
    /// and expected.
    @preconcurrency
    public func setTaskDidSendBodyDataBlock(
        _ block: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
    ) {
        guard let block else { return manager.delegate.taskDidSendBodyData = nil }
        manager.delegate.taskDidSendBodyData = { [weak hub = manager.delegate] session, task, count, total, expected in
            hub?.report(sent: count, total: total, expected: expected, of: task)
            block(session, task, count, total, expected)
        }
    }

    /// Sets the block that is called when a task has ended, in addition to its completion handler.
    @preconcurrency
    public func setTaskDidCompleteBlock(_ block: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?) {
        manager.delegate.taskDidComplete = block
    }

    /// Returns whether to read a response's body, and whether into a file. A task that becomes a download keeps its
    /// handlers.
    @preconcurrency
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (@Sendable (Session, SessionDataTask, HTTPURLResponse) -> ResponseAnswer)?
    ) {
        manager.delegate.dataTaskDidBecomeDownloadTask = { [registry, blocks] session, task, download in
            registry.move(task, to: download, AFFileMover(blocks: blocks))
            blocks[\.becameDownload]?(session, task, download)
        }
        manager.delegate.dataTaskDidReceiveResponse = block
    }

    /// Called with the download that replaces a data task.
    @preconcurrency
    public func setDataTaskDidBecomeDownloadTaskBlock(
        _ block: (@Sendable (Session, SessionDataTask, SessionDownloadTask) -> Void)?
    ) {
        blocks[\.becameDownload] = block
    }

    /// Called with the bytes of a body, which the task also collects.
    @preconcurrency
    public func setDataTaskDidReceiveDataBlock(_ block: (@Sendable (Session, SessionDataTask, Data) -> Void)?) {
        guard let block else { return manager.delegate.dataTaskDidReceiveData = nil }
        manager.delegate.dataTaskDidReceiveData = { [weak hub = manager.delegate] session, task, data in
            hub?.collect(data, of: task)
            block(session, task, data)
        }
    }

    /// Returns the destination of a complete file, in place of the task's; nil leaves it to that.
    @preconcurrency
    public func setDownloadTaskDidFinishDownloadingBlock(
        _ block: (@Sendable (Session, SessionDownloadTask, URL) -> URL?)?
    ) {
        blocks[\.fileFinished] = block
    }

    /// Called when bytes were written to a file, in addition to the task's progress, with the bytes since the last
    /// call, in total, and expected.
    @preconcurrency
    public func setDownloadTaskDidWriteDataBlock(
        _ block: (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    ) {
        guard let block else { return manager.delegate.downloadTaskDidWriteData = nil }
        manager.delegate.downloadTaskDidWriteData = {
            [weak hub = manager.delegate] session, task, count, total, expected in
            hub?.report(written: count, total: total, expected: expected, of: task)
            block(session, task, count, total, expected)
        }
    }

    /// Sets the block that receives the offset at which a download resumes, in addition to the task's progress.
    @preconcurrency
    public func setDownloadTaskDidResumeBlock(
        _ block: (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
    ) {
        guard let block else { return manager.delegate.downloadTaskDidResumeAtOffset = nil }
        manager.delegate.downloadTaskDidResumeAtOffset = { [weak hub = manager.delegate] session, task, offset, total in
            hub?.report(resumedAt: offset, total: total, of: task)
            block(session, task, offset, total)
        }
    }
}

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
