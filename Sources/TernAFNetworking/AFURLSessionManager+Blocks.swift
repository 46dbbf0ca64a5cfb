// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Tern
public import TernEngine

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

    /// Returns what the session's cache stores of a complete response; nil for nothing.
    @preconcurrency
    public func setDataTaskWillCacheResponseBlock(
        _ block: (@Sendable (Session, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    ) {
        manager.delegate.dataTaskWillCacheResponse = block
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
