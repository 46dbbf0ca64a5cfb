// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TernHTTP1
import TernIO
import TernLock

/// One request on its way, and the handle to steer it. Made by `Session.dataTask(with:delegate:)`, started by `resume()`.
///
/// Steering is allowed from any thread, at any time, in any order. What the task goes through on its reactor is kept in
/// `run`, which only the reactor's thread touches; `state` is for everybody and guarded by its lock. That is what
/// `@unchecked Sendable` rests on.
public final class SessionTask: LineMember, @unchecked Sendable {
    /// Unique within the process.
    public let identifier: Int
    /// The request as it was given; the session's defaults are not in it.
    public let originalRequest: URLRequest

    private enum Stage {
        case created, started, completed
    }

    private struct State {
        var stage = Stage.created
        var shard: Shard?
        var suspensions = 0
        /// Signed, because the two sides that change it may overtake each other: what counts is the sum.
        var holds = 0
        var isCancelledOnStart = false
        var metrics: TaskMetrics?
        var error: EngineError?
    }

    private let state: Lock<State>
    private let cancellation = Atomic<Bool>(false)
    /// Until the end, so that it may hold the task. Belongs to the reactor's thread.
    private(set) var delegate: any SessionTaskDelegate
    let timeouts: Timeouts
    private let failure: EngineError.Reason
    /// Belongs to the reactor's thread.
    var run = TaskRun()
    /// While a connection is being opened for the task. Belongs to the reactor's thread, too. Not in `run`: Swift 6.3 leaks
    /// the other fields of a structure that has one that cannot be copied, as AddressSanitizer shows.
    var prepared: PreparedExchange?
    /// In its pool's line. Belongs to the reactor's thread.
    var placeInLine: Int32 = -1

    /// Without a shard the task fails with `failure` as soon as it is started.
    init(
        request: URLRequest, delegate: any SessionTaskDelegate, timeouts: Timeouts, shard: Shard?,
        failure: EngineError.Reason
    ) {
        identifier = Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
        originalRequest = request
        self.delegate = delegate
        self.timeouts = request.timeouts ?? timeouts
        self.failure = failure
        state = Lock(State(shard: shard))
    }

    private static let nextIdentifier = Atomic<Int>(0)

    /// Starts the task, or takes back one `suspend()`. Further calls do nothing.
    public func resume() {
        let (shard, starts, cancels) = state.withLock { state in
            guard state.stage == .created else {
                if state.suspensions > 0 { state.suspensions -= 1 }
                return (state.suspensions == 0 ? state.shard : nil, false, false)
            }
            begin(&state)
            return (state.shard, true, state.isCancelledOnStart)
        }
        if cancels { return cancel() }
        guard starts else {
            shard?.perform { $0.updatePause(of: self) }
            return
        }
        if let shard { shard.deliver(.start(self)) } else { endWithoutLoop() }
    }

    /// Stops reading from the socket until `resume()`, so that a slow consumer slows the server down instead of filling
    /// memory. Counted. Bytes already received, at most 256 KB, may still be delivered.
    public func suspend() {
        let shard = state.withLock { state in
            state.suspensions += 1
            return state.stage == .started ? state.shard : nil
        }
        shard?.perform { $0.updatePause(of: self) }
    }

    /// Ends the task with `.cancelled` and closes the connection it is using. A task that has completed stays as it is.
    public func cancel() {
        cancellation.store(true, ordering: .relaxed)
        let (shard, isOver) = state.withLock { state in
            if state.stage == .created { begin(&state) }
            return (state.shard, state.stage == .completed)
        }
        if isOver { return }
        if let shard { shard.deliver(.cancel(self)) } else { completeLater(.cancelled, phase: .request, on: nil) }
    }

    /// Whether its cancellation is on its way to the reactor, if not there yet: nothing need be begun for it any more.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    /// Cancels a task that has been started; one that has not ends as soon as it is, and not before: whoever waits for
    /// its end may still be on his way.
    func cancelOnceStarted() {
        let isStarted = state.withLock { state in
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
        let shard = state.withLock { state in
            state.holds += change
            return state.stage == .started ? state.shard : nil
        }
        shard?.perform { $0.updatePause(of: self) }
    }

    /// Under the lock, so that whoever finds the task started finds its metrics too.
    private func begin(_ state: inout State) {
        state.stage = .started
        run.metrics = TaskMetrics(start: .now)
    }

    /// What happened when; nil until the task has completed.
    public var metrics: TaskMetrics? { state.withLock { $0.metrics } }

    /// Why the task failed; nil while it runs and after success.
    public var error: EngineError? { state.withLock { $0.error } }

    var isSuspended: Bool { state.withLock { $0.suspensions > 0 || $0.holds > 0 } }
}

// On the reactor's thread
extension SessionTask {
    /// Ends the task: once, whoever comes first.
    func complete(_ error: EngineError?) {
        // With the last shard go the session's policies, which may be somebody's subclass: when the lock is free.
        let (isFirst, shard) = state.withLock { state -> (Bool, Shard?) in
            guard state.stage != .completed else { return (false, nil) }
            state.stage = .completed
            run.isOver = true
            prepared = nil
            run.metrics?.end = .now
            state.metrics = run.metrics
            state.error = error
            return (true, state.shard.take())
        }
        if isFirst {
            delegate.task(self, didCompleteWith: error)
            delegate = Nobody.shared
        }
        withExtendedLifetime(shard) {}
    }

    /// Fails the task. Later, not now: whoever starts a task from the end of another must not find himself one stack frame
    /// deeper each time. Where no loop runs any more it ends on a queue.
    func completeLater(_ reason: EngineError.Reason, phase: EngineError.Phase, on loop: ReactorLoop?) {
        let ending: @Sendable () -> Void = { self.complete(self.error(reason, phase: phase)) }
        if loop?.execute(ending) != true { Self.endings.async(execute: ending) }
    }

    /// Fails a task that finds no reactor to run on.
    func endWithoutLoop() { completeLater(failure, phase: .request, on: nil) }

    private static let endings = DispatchQueue(label: "tern.endings")

    func error(_ reason: EngineError.Reason, phase: EngineError.Phase) -> EngineError {
        EngineError(
            reason, phase: phase, origin: try? originalRequest.destination.get().origin,
            remoteAddress: run.metrics?.connection?.remoteAddress, wasSent: run.wasSent)
    }

    /// When the task's total time is up.
    var totalDeadline: MonotonicInstant? {
        guard let total = timeouts.total, let start = run.metrics?.start else { return nil }
        return start.advanced(by: total)
    }

    /// RFC 9110 §9.2.2: methods that may be sent again without asking.
    var isIdempotent: Bool {
        switch originalRequest.method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        default: false
        }
    }
}

/// The delegate of a task that has completed: there is nothing more to tell.
private final class Nobody: SessionTaskDelegate {
    static let shared = Nobody()

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {}
}
