// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

// What the session is asked and told, block by block. A block that is nil leaves the answer to the library. Set them before the tasks
// they are for.
extension AFURLSessionManager {
    /// Is told that the session has ended.
    @preconcurrency
    public func setSessionDidBecomeInvalidBlock(_ block: (@Sendable (Session, (any Error)?) -> Void)?) {
        blocks[\.sessionInvalid] = block
    }

    /// Says whether a server is trusted, in place of ``securityPolicy``.
    @preconcurrency
    public func setSessionDidReceiveAuthenticationChallengeBlock(
        _ block: (@Sendable (Session, Challenge) -> (ChallengeDisposition, Credential?))?
    ) {
        manager.delegate.sessionDidReceiveChallenge = block
    }

    /// Brings a new stream where a task's own has been read and has to be sent again.
    @preconcurrency
    public func setTaskNeedNewBodyStreamBlock(_ block: (@Sendable (Session, SessionTask) -> InputStream?)?) {
        manager.delegate.taskNeedNewBodyStream = block
    }

    /// Says what to ask where a response sends a task elsewhere; nil delivers the redirect.
    @preconcurrency
    public func setTaskWillPerformHTTPRedirectionBlock(
        _ block: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    ) {
        manager.delegate.taskWillPerformHTTPRedirection = block
    }

    /// Answers a server that asks who we are.
    @preconcurrency
    public func setTaskDidReceiveAuthenticationChallengeBlock(
        _ block: (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))?
    ) {
        manager.delegate.taskDidReceiveChallenge = block
    }

    /// Is told of content that was sent, besides the task's progress: bytes since the last call, in all, and to be expected.
    @preconcurrency
    public func setTaskDidSendBodyDataBlock(
        _ block: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
    ) {
        guard let block else { return manager.delegate.taskDidSendBodyData = nil }
        manager.delegate.taskDidSendBodyData = { [weak hub = manager.delegate] session, task, count, total, expected in
            hub?[task]?.delegate.sent(count, total: total, expected: expected, of: task)
            block(session, task, count, total, expected)
        }
    }

    /// Is told that a task has ended, besides its completion handler.
    @preconcurrency
    public func setTaskDidCompleteBlock(_ block: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?) {
        manager.delegate.taskDidComplete = block
    }

    /// Says whether the body of a response is wanted.
    @preconcurrency
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (@Sendable (Session, SessionDataTask, HTTPURLResponse) -> ResponseDisposition)?
    ) {
        manager.delegate.dataTaskDidReceiveResponse = block
    }

    /// Is told of the bytes of a body, which the task collects all the same.
    @preconcurrency
    public func setDataTaskDidReceiveDataBlock(_ block: (@Sendable (Session, SessionDataTask, Data) -> Void)?) {
        guard let block else { return manager.delegate.dataTaskDidReceiveData = nil }
        manager.delegate.dataTaskDidReceiveData = { [weak hub = manager.delegate] session, task, data in
            hub?[task]?.delegate.receive(data.span, of: task)
            block(session, task, data)
        }
    }
}
