// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

// Calls closures and overridden methods.
extension TaskDelegate {
    /// Answers a redirect instead of following it: nil delivers the redirect.
    @preconcurrency public var taskWillPerformHTTPRedirection:
        (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { override(\.redirection) }
        set { setOverride(\.redirection, newValue) }
    }

    /// Answers a challenge in place of ``credential``. Also called about the server of a connection that is opened for
    /// this request, if the hub has no answer; see ``SessionDelegate/taskDidReceiveChallenge``.
    @preconcurrency public var taskDidReceiveChallenge:
        (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))?
    {
        get { override(\.challenge) }
        set { setOverride(\.challenge, newValue) }
    }

    /// Answers a retry that the request's ``TernEngine/RetryPolicy`` proposes, and may refuse it or change its delay.
    @preconcurrency public var taskWillRetry: (@Sendable (Session, SessionTask, RetryMetrics) -> RetryAnswer)? {
        get { override(\.retry) }
        set { setOverride(\.retry, newValue) }
    }

    /// Returns a new stream when the request's own has been read and must be sent again.
    @preconcurrency public var taskNeedNewBodyStream: (@Sendable (Session, SessionTask) -> InputStream?)? {
        get { override(\.bodyStream) }
        set { setOverride(\.bodyStream, newValue) }
    }

    /// Called when the task has ended and is not retried, before the handlers.
    @preconcurrency public var taskDidCompleteWithError: (@Sendable (Session, SessionTask, (any Error)?) -> Void)? {
        get { override(\.completion) }
        set { setOverride(\.completion, newValue) }
    }

    func override<Closure: Sendable>(_ path: KeyPath<Overrides, Closure?>) -> Closure? {
        state.withLock { $0.rareState?.overrides[keyPath: path] }
    }

    func setOverride<Closure: Sendable>(_ path: WritableKeyPath<Overrides, Closure?>, _ closure: Closure?) {
        let old = state.withLock { state in
            let rareState = state.makeRareState()
            let old = rareState.overrides[keyPath: path]
            rareState.overrides[keyPath: path] = closure
            return old
        }
        withExtendedLifetime(old) {}
        if closure != nil { relays() }
    }

    /// A closure or an overridden method is to be called from now on.
    func relays() { isRelayed.store(true, ordering: .relaxed) }

    /// Passes an event to the callback queue. On the reactor's thread.
    func relay(_ event: QueuedEvent) {
        state.withLock { $0.makeRareState().waitingEvents.add(event) }?.hold()
        context.callbacks.post(self)
    }

    /// On the callback queue.
    func deliverEvents() {
        guard let (events, held) = state.withLock({ $0.rareState?.waitingEvents.take() }) else { return }
        for event in events {
            if case .task(.response(let response, _), let task) = event { receive(response, of: task) }
            context.hub.deliver(event, in: context.session)
            if let file = event.file, !holds(file) { event.removeFile() }
        }
        for task in held { task.release() }
    }
}

extension DataTaskDelegate {
    /// Receives the body in place of the request.
    @preconcurrency public var dataTaskDidReceiveData: (@Sendable (Session, SessionDataTask, Data) -> Void)? {
        get { override(\.dataReceived) }
        set { setOverride(\.dataReceived, newValue) }
    }

    /// Answers what the session's cache stores of the response: the proposed one, another one, or nil for none.
    @preconcurrency public var dataTaskWillCacheResponse:
        (@Sendable (Session, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { override(\.willCache) }
        set { setOverride(\.willCache, newValue) }
    }
}

extension DownloadTaskDelegate {
    /// Receives the complete file in place of the request's destination, and returns its new location.
    @preconcurrency public var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (Session, SessionDownloadTask, URL) -> URL)?
    {
        get { override(\.fileFinished) }
        set { setOverride(\.fileFinished, newValue) }
    }

    /// Called when bytes were written, in place of ``progress``, with the bytes since the last call, in total, and
    /// expected.
    @preconcurrency public var downloadTaskDidWriteData:
        (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { override(\.fileWritten) }
        set { setOverride(\.fileWritten, newValue) }
    }

    /// Called, in place of ``progress``, with the offset at which the download resumes, and the expected total.
    @preconcurrency public var downloadTaskDidResumeAtOffset:
        (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
    {
        get { override(\.fileResumed) }
        set { setOverride(\.fileResumed, newValue) }
    }
}

extension UploadTaskDelegate {
    /// Called when bytes were sent, in place of ``uploadProgress``, with the bytes since the last call, in total, and
    /// expected.
    @preconcurrency public var taskDidSendBodyData: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
    {
        get { override(\.dataSent) }
        set { setOverride(\.dataSent, newValue) }
    }
}
