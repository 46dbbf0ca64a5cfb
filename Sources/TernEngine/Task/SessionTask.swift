// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TernIO
import TernLock

/// One question of the user's on its way, and the handle to steer it. Made by a session, started by `resume()`. It may take
/// several requests: redirects are followed.
///
/// Steering is allowed from any thread, at any time, in any order. `state` is for everybody and guarded by its lock; what
/// is said to belong to the reactor is touched by its thread only, and before `resume()` by nobody. That is what
/// `@unchecked Sendable` rests on.
public class SessionTask: @unchecked Sendable {
    /// Unique within the process.
    public let taskIdentifier: Int
    /// The request as it was given; the session's defaults are not in it.
    public let originalRequest: URLRequest

    /// As in URLSession.
    public enum State: Sendable, Hashable {
        /// It has been started, and works or waits.
        case running
        /// It has not been started, or was suspended: nothing is read from its socket.
        case suspended
        /// `cancel()` was called, and its end is on its way.
        case canceling
        /// It has ended, well or not.
        case completed
    }

    enum Stage {
        case created, started, completed
    }

    struct Shared {
        var stage = Stage.created
        var shard: Shard<SessionTask>?
        var suspensions = 0
        /// It ends because its session does.
        var isAbandoned = false
        /// Signed, because the two sides that change it may overtake each other: what counts is the sum.
        var holds = 0
        var isCancelledOnStart = false
        var start: MonotonicInstant?
        var currentRequest: URLRequest?
        var response: HTTPURLResponse?
        var error: EngineError?
        var description: String?
        var priority: Float = 0.5
    }

    let shared: Lock<Shared>
    private let cancellation = Atomic<Bool>(false)
    let defaults: TaskDefaults
    let table: TaskTable<SessionTask>?
    /// Octets of content that were received and handed over.
    let contentCounts = ContentCounts()

    // What follows belongs to the reactor.

    // Unchecked: what is unchecked here calls nobody while it changes, and lets go of nobody: who goes is taken out before. So no
    // access can begin while another lasts.

    /// Until the end, so that it may hold the task.
    @safe @exclusivity(unchecked) private(set) var delegate: any SessionTaskDelegate
    /// What of it is known to receive content; nil before somebody looked.
    @safe @exclusivity(unchecked) var knownReceiver: (any ContentReceiver)??
    @safe @exclusivity(unchecked) var plan: TaskPlan
    /// While it carries the task.
    @safe @exclusivity(unchecked) var connection: Connection?
    var placeInLine: Int32 = -1
    /// Guarded by the table's lock.
    var placeInTable = -1
    var wait = Wait()
    @safe @exclusivity(unchecked) var deadlines: Deadlines
    /// For everybody once the task has completed: it does not change then.
    @safe @exclusivity(unchecked) var tally: TaskMetrics?
    /// While a connection is being opened for the task.
    @safe @exclusivity(unchecked) var prepared: PreparedExchange?
    var inquiry = Inquiry()
    /// What is rare; made when it is needed.
    var aside: Aside?

    /// Without a place it fails as soon as it is started.
    init(request: URLRequest, delegate: any SessionTaskDelegate, defaults: TaskDefaults, at place: TaskPlace?) {
        taskIdentifier = Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
        originalRequest = request
        self.delegate = delegate
        deadlines = Deadlines(
            limits: request.timeouts ?? defaults.timeouts, start: MonotonicInstant(nanoseconds: 0))
        self.defaults = defaults
        table = place?.table
        plan = TaskPlan(
            request, redirects: RedirectRule(policy: request.redirectPolicy ?? defaults.redirectPolicy),
            repeats: defaults.repeats,
            sensitiveFields: defaults.sensitiveFields)
        shared = Lock(Shared(shard: place?.shard))
    }

    private static let nextIdentifier = Atomic<Int>(0)

    // On the reactor's thread: what a task that is no exchange does otherwise.

    /// Whether the session holds it until it has ended.
    var isListed: Bool { true }

    /// Begins what it is about.
    func begin(on shard: Shard<SessionTask>) { go(on: shard) }

    func cancelNow() { cancelExchange() }

    func updatePause() { connection?.isPaused = isSuspended || plan.isAsking }

    /// Starts the task, or takes back one `suspend()`. Further calls do nothing.
    public func resume() { resume(standsIn: false) }

    /// `resume()`, and right here if the reactor sleeps: for a delegate that runs nobody else's code while a request is sent. Whoever
    /// resumes may hold a lock, so a task that has to ask somebody for content is started where all others are.
    package func resumeHere() {
        switch originalRequest.content {
        case nil, .data: resume(standsIn: true)
        default: resume(standsIn: false)
        }
    }

    /// - Parameter standsIn: it may be started right here if the reactor sleeps. For callers who hold no lock: whatever the reactor
    ///   asks of the user, such as content to send, would be asked on this thread.
    func resume(standsIn: Bool) {
        let (shard, starts, cancels, runs) = shared.withLock { state in
            guard state.stage == .created else {
                let runs = state.suspensions == 1 && state.stage == .started
                if state.suspensions > 0 { state.suspensions -= 1 }
                return (state.suspensions == 0 ? state.shard : nil, false, false, runs)
            }
            begin(&state)
            return (state.shard, true, state.isCancelledOnStart, state.suspensions == 0)
        }
        if cancels { return cancel() }
        if runs { Steering.changed(taskIdentifier, runs: true, unless: isCancelled) }
        guard starts else {
            shard?.perform { _ in self.updatePause() }
            return
        }
        guard let shard else { return endWithoutLoop() }
        // Among others it leaves with theirs, in one turn: threads that stand in one after the other would keep the reactor from it.
        if standsIn, table?.isForOne != false {
            shard.deliverHere(.start, from: self)
        } else {
            shard.deliver(.start, from: self)
        }
    }

    /// Stops reading from the socket until `resume()`, so that a slow consumer slows the server down instead of filling
    /// memory. Counted. What has been received already waits with it; what is being sent goes on.
    public func suspend() {
        let (shard, stops) = shared.withLock { state in
            state.suspensions += 1
            guard state.stage == .started else { return (Shard<SessionTask>?.none, false) }
            return (state.shard, state.suspensions == 1)
        }
        if stops { Steering.changed(taskIdentifier, runs: false, unless: isCancelled) }
        shard?.perform { _ in self.updatePause() }
    }

    /// Ends the task with `.cancelled` and closes the connection it is using. A task that has completed stays as it is.
    public func cancel() {
        cancellation.store(true, ordering: .relaxed)
        let (shard, isOver) = shared.withLock { state in
            if state.stage == .created { begin(&state) }
            state.isAbandoned = false
            return (state.shard, state.stage == .completed)
        }
        if isOver { return }
        if let shard { shard.deliver(.cancel, from: self) } else { completeLater(.cancelled, phase: .request, on: nil) }
    }

    /// Cancels the task because its session ends.
    package func abandon() {
        cancel()
        shared.withLock { $0.isAbandoned = true }
    }

    /// Ends the task, which nobody listens to any more: as `cancel()` does, but that its connection may see to the rest of a response
    /// that is short, and be used again.
    func letGo() {
        let (shard, isOver) = shared.withLock { ($0.shard, $0.stage != .started) }
        if isOver { return }
        shard?.deliver(.letGo, from: self)
    }

    /// Cancels a task that has been started; one that has not ends as soon as it is, and not before: whoever waits for
    /// its end may still be on his way.
    func cancelOnceStarted() {
        let isStarted = shared.withLock { state in
            state.isCancelledOnStart = true
            return state.stage != .created
        }
        if isStarted { cancel() }
    }

    /// `suspend()` and `resume()` for two threads that call them in turn but may overtake each other: a release that
    /// comes before its hold is not lost.
    package func hold() { changeHolds(by: 1) }

    package func release() { changeHolds(by: -1) }

    private func changeHolds(by change: Int) {
        let shard = shared.withLock { state in
            state.holds += change
            return state.stage == .started ? state.shard : nil
        }
        shard?.perform { _ in self.updatePause() }
    }

    /// A task that has the response become a file from now on, in place of this one; nil where there can be none.
    func download(of response: HTTPURLResponse) -> SessionTask? { nil }

    /// Whether the task may end now. A kind of task that has something left to do says no, and completes again when that is done.
    func mayEnd(_ error: EngineError?) -> Bool { true }

    func begin(_ state: inout Shared) {
        state.stage = .started
        state.start = .now
        table?.began()
    }
}

// What is known about it
extension SessionTask {
    /// Where the task is in its life. A task that is suspended when its session ends, or later, is `.suspended` from then on.
    public var state: State {
        shared.withLock { state in
            if state.isAbandoned, state.suspensions > 0 { return .suspended }
            if state.stage == .completed { return .completed }
            if isCancelled { return .canceling }
            return state.stage == .created || state.suspensions > 0 ? .suspended : .running
        }
    }

    /// What is asked now: the original request until a redirect is followed.
    public var currentRequest: URLRequest? { shared.withLock { $0.currentRequest } ?? originalRequest }

    /// The head of the response that is the answer, as soon as it has come.
    public var response: HTTPURLResponse? { shared.withLock { $0.response } }

    /// What happened when; nil until the task has completed.
    public var metrics: TaskMetrics? { shared.withLock { $0.stage == .completed } ? tally : nil }

    /// Why the task failed; nil while it runs and after success.
    public var error: EngineError? { shared.withLock { $0.error } }

    /// Octets of the response's content that have come, as they came: coded, if it is.
    public var countOfBytesReceived: Int64 { contentCounts.received.load(ordering: .relaxed) }

    /// Octets of the request's content that have been handed to the kernel; from 0 again where it is sent again.
    public var countOfBytesSent: Int64 { contentCounts.sent.load(ordering: .relaxed) }

    /// How many octets of content the response announced; -1 if it did not, and before it came.
    public var countOfBytesExpectedToReceive: Int64 {
        response.map { $0.head.contentLength.map(Int64.init) ?? -1 } ?? -1
    }

    /// How many octets of content the request has; -1 if nobody knows.
    public var countOfBytesExpectedToSend: Int64 {
        guard let content = originalRequest.content else { return 0 }
        return content.announcedLength.map(Int64.init) ?? -1
    }

    /// As in URLSession, from 0 to 1: a hint that nothing acts on.
    public var priority: Float {
        get { shared.withLock { $0.priority } }
        set { shared.withLock { $0.priority = newValue } }
    }

    /// The user's own words for the task; nothing is done with them.
    public var taskDescription: String? {
        get { shared.withLock { $0.description } }
        set { shared.withLock { $0.description = newValue } }
    }

    /// Whether its cancellation is on its way to the reactor, if not there yet: nothing need be begun for it any more.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    var isSuspended: Bool { shared.withLock { $0.suspensions > 0 || $0.holds > 0 } }
}

// The end
extension SessionTask {
    /// Ends the task: once, whoever comes first.
    func complete(_ error: EngineError?) {
        if !mayEnd(error) { return }
        // With the last shard go the session's policies, which may be somebody's subclass: when the lock is free.
        let (isFirst, shard) = shared.withLock { state -> (Bool, Shard<SessionTask>?) in
            guard state.stage != .completed else { return (false, nil) }
            state.stage = .completed
            finish(state.start)
            state.error = error
            return (true, state.shard.take())
        }
        if isFirst {
            plan.end()
            inquiry.open = 0
            table?.remove(self)
            originalRequest.onceSource?.forgo()
            _ = prepared.take()
            _ = aside.take()
            delegate.task(self, didCompleteWith: error)
            leave(to: Nobody.shared)
            table?.ended()
        }
        withExtendedLifetime(shard) {}
    }

    /// Tells somebody else from now on.
    func leave(to other: any SessionTaskDelegate) {
        var other = other
        swap(&other, &delegate)
        _ = knownReceiver.take()
    }

    private func finish(_ start: MonotonicInstant?) {
        let now = MonotonicInstant.now
        if tally == nil { tally = TaskMetrics(originalRequest, start: start ?? now) }
        tally?.end = now
        tally?.change { if $0.end == nil { $0.end = now } }
    }

    /// Fails the task. Later, not now: whoever starts a task from the end of another must not find himself one stack frame
    /// deeper each time. Where no loop runs any more it ends on a queue.
    func completeLater(_ reason: EngineError.Reason, phase: EngineError.Phase, on loop: ReactorLoop?) {
        Self.perform(on: loop) { self.complete(self.error(reason, phase: phase)) }
    }

    /// Runs `work` on the task's loop when that has time, and where no loop runs any more on a queue.
    func performLater(_ work: @escaping @Sendable () -> Void) {
        Self.perform(on: shared.withLock { $0.shard }?.loop, work)
    }

    private static func perform(on loop: ReactorLoop?, _ work: @escaping @Sendable () -> Void) {
        if loop?.execute(work) != true { endings.async(execute: work) }
    }

    /// Fails a task that finds no reactor to run on.
    func endWithoutLoop() { completeLater(defaults.failure, phase: .request, on: nil) }

    private static let endings = DispatchQueue(label: "tern.endings")

    func error(
        _ reason: EngineError.Reason, phase: EngineError.Phase, remoteAddress: SocketAddress? = nil,
        isSafeToRepeat: Bool? = nil
    ) -> EngineError {
        let wasSent = tally?.wasSent ?? false
        return EngineError(
            reason, phase: phase, origin: try? plan.hop.request.destination.get().origin,
            remoteAddress: remoteAddress ?? tally?.connection?.remoteAddress, wasSent: wasSent,
            isSafeToRepeat: isSafeToRepeat ?? plan.isSafeToRepeat(wasSent: wasSent),
            bytesReceived: tally?.receivedCount ?? 0)
    }
}

/// Where a task runs, and is listed.
final class TaskPlace: Sendable {
    let shard: Shard<SessionTask>
    let table: TaskTable<SessionTask>?

    init(shard: Shard<SessionTask>, table: TaskTable<SessionTask>? = nil) {
        self.shard = shard
        self.table = table
    }
}

/// Written by the reactor's thread, read by any.
struct ContentCounts: ~Copyable {
    let received = Atomic<Int64>(0)
    let sent = Atomic<Int64>(0)
}

/// The delegate of a task that has completed: there is nothing more to tell.
private final class Nobody: SessionTaskDelegate {
    static let shared = Nobody()

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {}
}
