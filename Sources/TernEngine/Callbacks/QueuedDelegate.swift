// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernLock

/// A delegate of a session whose code runs on a queue: the events of a task wait there in their order, whole, and the task
/// is paused while bytes of it do. What a type has to say is where an event goes from there.
package protocol QueuedDelegate: SessionDelegate, SessionDownloadDelegate, StreamTaskDelegate, CallbackQueue.Source {
    /// The events that wait, and the tasks that were created.
    var events: DelegateQueue { get }
    /// Whether code of the program receives the events. If not, they do not wait, and questions get their usual answers
    /// at once.
    var isOverridden: Bool { get }
    /// Whether code of the program answers questions about retries.
    var answersRetries: Bool { get }
    /// Calls the program's code for an event, and has it answer the question in it. On the queue.
    func deliver(_ event: QueuedEvent, in session: Session)
}

// On a reactor's thread: what a delegate does unless it has a method of its own.
extension QueuedDelegate {
    package func handle(_ event: TaskEvent, of task: SessionTask) { forward(event, of: task) }

    package func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { forward(bytes, of: task) }

    package func handle(_ event: DownloadEvent, of download: SessionDownloadTask) { forward(event, of: download) }

    package func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        forward(.finished(location), of: task)
    }

    package func streamTaskDidCloseRead(_ task: StreamTask) { forward(.readClosed, of: task) }

    package func streamTaskDidCloseWrite(_ task: StreamTask) { forward(.writeClosed, of: task) }
}

extension QueuedDelegate {
    package func forward(_ event: TaskEvent, of task: SessionTask) {
        if case .completed = event { events.tasks.remove(task) }
        if case .willRetry(_, let question) = event, !answersRetries { return question.answer(.retry) }
        if event.isQueued, forward(.task(event, task)) { return }
        NoOpTaskDelegate.shared.handle(event, of: task)
    }

    package func forward(_ bytes: Span<UInt8>, of task: SessionTask) {
        if isOverridden { _ = forward(.body(Data(copying: bytes), task)) }
    }

    /// A complete file is removed when its event has been delivered.
    package func forward(_ event: DownloadEvent, of download: SessionDownloadTask) {
        if case .replaced(let task) = event, events.tasks.remove(task) { events.tasks.add(download) }
        guard forward(.download(event, download)) else { return }
        if case .finished = event { download.keepFile() }
    }

    package func forward(_ event: StreamEvent, of task: StreamTask) { _ = forward(.stream(event, task)) }

    /// Runs `call` after the events that wait, and before later ones. Returns false if there is no queue, or no session any
    /// more.
    package func forward(_ call: @escaping @Sendable (Session) -> Void) -> Bool { forward(.call(call)) }

    /// Returns whether the event waits.
    private func forward(_ event: QueuedEvent) -> Bool { isOverridden && events.add(event, for: self) }
}

// On the queue
extension QueuedDelegate {
    /// Delivers what waits.
    package func performCallbacks() {
        let (session, waiting, held) = events.take()
        guard let session else { return }
        for event in waiting {
            deliver(event, in: session)
            event.removeFile()
        }
        for task in held { task.release() }
    }
}

/// The events of a session that wait for a queue, and the tasks they are of.
package final class DelegateQueue: Sendable {
    private struct State {
        weak var session: Session?
        var callbacks: CallbackQueue?
        /// Many tasks share the queue: each is paused with its first bytes, so that code that blocks has one delivery of
        /// each before it.
        var waiting = WaitingEvents(limit: 0)
        /// The session, while events of it wait.
        var retained: Session?
    }

    /// Those that were created on the session itself, and have not ended.
    package let tasks = UnownedTasks()
    private let state = Lock(State())

    package init() {}

    /// The session; nil before `attach(to:_:)`, and when it has been released.
    package var session: Session? { state.withLock { $0.session } }

    /// From now on the events of this session wait for `callbacks`.
    package func attach(to session: Session, _ callbacks: CallbackQueue) {
        state.withLock { ($0.session, $0.callbacks) = (session, callbacks) }
    }

    /// Runs a block on the queue, after the events that wait. Returns false if there is no queue.
    @discardableResult
    package func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let callbacks = state.withLock({ $0.callbacks }) else { return false }
        callbacks.post(CallbackBlock(body))
        return true
    }

    /// Returns false if there is no queue, or no session any more.
    fileprivate func add(_ event: QueuedEvent, for delegate: some QueuedDelegate) -> Bool {
        let (callbacks, isFirst, held) = state.withLock { state -> (CallbackQueue?, Bool, SessionTask?) in
            guard let callbacks = state.callbacks, let session = state.session else { return (nil, false, nil) }
            state.retained = session
            return (callbacks, state.waiting.isEmpty, state.waiting.add(event))
        }
        guard let callbacks else { return false }
        held?.hold()
        if isFirst { callbacks.post(delegate) }
        return true
    }

    fileprivate func take() -> (Session?, events: [QueuedEvent], held: [SessionTask]) {
        state.withLock { state in
            let (events, held) = state.waiting.take()
            return (state.retained.take(), events, held)
        }
    }
}
