// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO
import TernLock

/// A request, from `resume()` to its end, and the handle to control it. A session makes it. A task may send several
/// requests: it follows redirects and answers challenges.
///
/// All public members are for any thread, at any time, in any order.
// `lifecycle` is guarded by its lock. What is marked as the reactor's is touched by the reactor's thread only, and
// before `resume()` by the thread that makes the task. This is what `@unchecked Sendable` rests on.
public class SessionTask: @unchecked Sendable {
    /// Unique within the process.
    public let taskIdentifier: Int
    /// The request as it was given; the session's defaults are not in it.
    public let originalRequest: URLRequest

    /// As in URLSession.
    public enum State: Sendable, Hashable {
        /// The task has been started, and works or waits.
        case running
        /// The task has not been started, or was suspended: nothing is read from its socket.
        case suspended
        /// `cancel()` was called, and the end follows.
        case canceling
        /// The task has ended, well or not.
        case completed
    }

    final let lifecycle: Lock<TaskLifecycle<Shard<SessionTask>>>
    private let cancellation = Atomic<Bool>(false)
    final let defaults: TaskDefaults
    final let table: TaskTable<SessionTask>?
    final let contentCounts = ContentCounts()

    // The reactor's, from here on. Where exclusivity is unchecked the value calls no code of the user while it changes,
    // and releases nothing of the user's: what goes is taken out first. So no access can begin while another lasts.

    /// Until the end, so that the delegate may hold the task.
    @safe @exclusivity(unchecked) private(set) final var delegate: any SessionTaskDelegate
    /// The delegate as a receiver of content; nil before the first look.
    @safe @exclusivity(unchecked) final var knownReceiver: (any ContentReceiver)??
    @safe @exclusivity(unchecked) final var machine: TaskMachine
    /// What feeds the task now.
    @safe @exclusivity(unchecked) final var carrier: (any Carrier)?
    /// How the content of the answer is decoded; nil where it is delivered as it arrives.
    @safe @exclusivity(unchecked) final var decoding: ContentDecoding?
    @safe @exclusivity(unchecked) final var deadlines: Deadlines
    /// For any thread once the task has completed: it does not change then.
    @safe @exclusivity(unchecked) final var measured: TaskMetrics?
    @safe @exclusivity(unchecked) final var wait = Wait()
    /// While the task waits for a lookup or a delay.
    final var timer: TaskTimer<SessionTask>?
    final var placeInLine: Int32 = -1
    /// Guarded by the table's lock.
    final var placeInTable = -1

    /// Without a place the task fails as soon as it is started.
    init(request: URLRequest, delegate: any SessionTaskDelegate, defaults: TaskDefaults, at place: TaskPlace?) {
        taskIdentifier = Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
        originalRequest = request
        self.delegate = delegate
        deadlines = Deadlines(
            limits: request.timeouts ?? defaults.timeouts, start: MonotonicInstant(nanoseconds: 0))
        self.defaults = defaults
        table = place?.table
        machine = TaskMachine(request, policies: defaults.policies)
        lifecycle = Lock(TaskLifecycle(shard: place?.shard))
    }

    private static let nextIdentifier = Atomic<Int>(0)

    // What the kinds of tasks do in their own way, on the reactor's thread.

    /// Whether the session holds the task until it has ended.
    var isListed: Bool { true }

    /// Begins what the task is about.
    func begin(on shard: Shard<SessionTask>) { follow(machine.begin()) }

    func cancelNow() { cancelExchange() }

    func updatePause() { carrier?.isPaused = isSuspended || machine.isAsking }

    /// Returns a task that makes a file of the response from now on, in place of this one; nil where there can be none.
    func download(of response: HTTPURLResponse) -> SessionTask? { nil }

    /// The exchange is over. Prepares what the task ends with, and calls `complete`, now or later.
    func finalize(_ error: SessionError?) { complete(error) }

    /// The task is ended once more while it prepares its end.
    func finalizeSooner(_ error: SessionError?) {}

    /// Calls `delegate` from now on.
    func change(_ delegate: any SessionTaskDelegate) {
        var other = delegate
        swap(&other, &self.delegate)
        _ = knownReceiver.take()
    }
}

// The controls
extension SessionTask {
    /// Starts the task, or takes back one `suspend()`. Further calls do nothing.
    public func resume() { resume(runsInline: false) }

    /// `resume()`, and on this thread if the reactor sleeps: for a delegate that runs no code of the user while a
    /// request is sent. The caller may hold a lock, so a task that has to ask for content is started as all others are.
    package func resumeHere() {
        switch originalRequest.content {
        case nil, .data: resume(runsInline: true)
        default: resume(runsInline: false)
        }
    }

    /// - Parameter runsInline: the task may be started on this thread if the reactor sleeps. For callers that hold no
    ///   lock: the reactor may ask the user, such as for content to send, on this thread.
    func resume(runsInline: Bool) {
        let resumption = lifecycle.withLock { state in
            let resumption = state.resume()
            if case .start = resumption { table?.began() }
            return resumption
        }
        switch resumption {
        case .start(_, cancels: true): cancel()
        case .start(let runs, cancels: false):
            if runs { TaskStateObservers.changed(taskIdentifier, runs: true, unless: isCancelled) }
            guard let shard = lifecycle.withLock({ $0.shard }) else { return endWithoutLoop() }
            // A task among others is started with them, in one tick: threads that run them inline one by one keep the
            // reactor from it.
            if runsInline, table?.isForOne != false {
                shard.deliverHere(.start, from: self)
            } else {
                shard.deliver(.start, from: self)
            }
        case .goOn(let runs, let shard):
            if runs { TaskStateObservers.changed(taskIdentifier, runs: true, unless: isCancelled) }
            shard?.perform { _ in self.updatePause() }
        }
    }

    /// Stops reading from the socket until `resume()`, so that a slow consumer slows the server down instead of filling
    /// memory. Counted. What has been received already waits with it; what is being sent goes on.
    public func suspend() {
        let (shard, stops) = lifecycle.withLock { $0.suspend() }
        if stops { TaskStateObservers.changed(taskIdentifier, runs: false, unless: isCancelled) }
        shard?.perform { _ in self.updatePause() }
    }

    /// Ends the task with `.cancelled` and closes the connection it is using. A task that has completed stays as it is.
    public func cancel() {
        cancellation.store(true, ordering: .relaxed)
        let (stage, shard) = lifecycle.withLock { state in
            if state.cancel() { table?.began() }
            return (state.stage, state.shard)
        }
        if case .completed = stage { return }
        if let shard { shard.deliver(.cancel, from: self) } else { endLater(.cancelled, phase: .request, on: nil) }
    }

    /// Cancels the task because its session ends.
    package func abandon() {
        cancel()
        lifecycle.withLock { $0.abandon() }
    }

    /// Ends the task, whose result is not wanted any more: as `cancel()` does, but the connection may receive the rest
    /// of a response that is short, and be used again.
    func abandonBody() {
        let shard = lifecycle.withLock { $0.isRunning ? $0.shard : nil }
        shard?.deliver(.abandonBody, from: self)
    }

    /// Cancels a task that has been started; one that has not been ends as soon as it is, and not before: the caller
    /// may not have begun to wait for its end.
    func cancelOnceStarted() {
        if lifecycle.withLock({ $0.cancelOnStart() }) { cancel() }
    }

    /// `suspend()` and `resume()` for two threads that call them in turn but may overtake each other: a release that
    /// comes before its hold is not lost.
    package func hold() { hold(by: 1) }

    package func release() { hold(by: -1) }

    private func hold(by change: Int) {
        lifecycle.withLock { $0.hold(by: change) }?.perform { _ in self.updatePause() }
    }

    /// Whether the task was cancelled, also if the reactor does not know it yet: nothing needs to be begun for it any
    /// more.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    var isSuspended: Bool { lifecycle.withLock { $0.isSuspended } }
}

/// Where a task runs, and the table that lists it.
final class TaskPlace: Sendable {
    let shard: Shard<SessionTask>
    let table: TaskTable<SessionTask>?

    init(shard: Shard<SessionTask>, table: TaskTable<SessionTask>? = nil) {
        self.shard = shard
        self.table = table
    }
}
