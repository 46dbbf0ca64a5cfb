// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO

/// The state of a task for any thread, guarded by the task's lock. ``TaskMachine`` has the progress of its requests.
///
/// `Home` is where the task runs: a shard.
struct TaskLifecycle<Home: AnyObject & Sendable>: ~Copyable, Sendable {
    private(set) var stage = TaskStage.created
    private(set) var shard: Home?
    private(set) var start: MonotonicInstant?
    private(set) var suspensions = 0
    /// Signed, because the threads that change it may overtake each other: only the sum counts.
    private var holds = 0
    private(set) var isCancelledOnStart = false
    /// The task ends because its session does.
    private(set) var isAbandoned = false
    /// Those that were asked for before the start.
    var timelines: [TaskTimeline.Feed] = []
    var currentRequest: URLRequest?
    var response: HTTPURLResponse?
    private(set) var error: SessionError?
    var description: String?
    /// What a layer above keeps with the task.
    var attachment: (any AnyObject & Sendable)?

    init(shard: Home?) { self.shard = shard }

    var isSuspended: Bool { suspensions > 0 || holds > 0 }

    /// The task has been started and has not ended.
    var isRunning: Bool { if case .started = stage { true } else { false } }

    enum Resumption {
        /// The task is started now; it is to be cancelled at once if that was requested.
        case start(runs: Bool, cancels: Bool)
        /// Continues, if the last suspension has been reverted.
        case advance(runs: Bool, on: Home?)
    }

    mutating func resume(at now: MonotonicInstant) -> Resumption {
        guard case .created = stage else {
            let runs = suspensions == 1 && isRunning
            if suspensions > 0 { suspensions -= 1 }
            return .advance(runs: runs, on: suspensions == 0 ? shard : nil)
        }
        begin(at: now)
        return .start(runs: suspensions == 0, cancels: isCancelledOnStart)
    }

    /// Returns the shard of a running task, and whether this call stops it.
    mutating func suspend() -> (shard: Home?, stops: Bool) {
        suspensions += 1
        return isRunning ? (shard, suspensions == 1) : (nil, false)
    }

    /// Returns the shard of a running task.
    mutating func hold(by change: Int) -> Home? {
        holds += change
        return isRunning ? shard : nil
    }

    /// Returns whether this call began the task.
    mutating func cancel(at now: MonotonicInstant) -> Bool {
        isAbandoned = false
        guard case .created = stage else { return false }
        begin(at: now)
        return true
    }

    /// Returns whether the task has begun before.
    mutating func cancelOnStart() -> Bool {
        isCancelledOnStart = true
        if case .created = stage { return false }
        return true
    }

    mutating func abandon() { isAbandoned = true }

    mutating func begin(at now: MonotonicInstant) {
        stage = .started
        start = now
    }

    /// Returns nil if the task has ended before. Release the result outside the lock: with the last shard the session's
    /// policies are released, which may be a subclass of the user's.
    mutating func complete(_ error: SessionError?) -> Ended? {
        if case .completed = stage { return nil }
        stage = .completed
        self.error = error
        return Ended(start: start, shard: shard.take())
    }

    struct Ended {
        let start: MonotonicInstant?
        let shard: Home?
    }

    /// Another task replaces this one: it gets everything but the description and the suspensions, which belong to this
    /// task.
    mutating func handOver() -> TaskLifecycle {
        var other = TaskLifecycle(shard: shard.take())
        (other.stage, other.start, other.suspensions) = (stage, start, suspensions)
        (other.isCancelledOnStart, other.isAbandoned) = (isCancelledOnStart, isAbandoned)
        (other.currentRequest, other.response, other.error) = (currentRequest, response, error)
        other.attachment = attachment
        stage = .completed
        return other
    }
}

/// As any thread sees it.
enum TaskStage: Sendable {
    case created, started, completed
}

/// The numbers of content bytes that were received and delivered, and that were sent. The reactor's thread writes them,
/// any thread reads them.
struct ContentCounts: ~Copyable {
    let received = Atomic<Int64>(0)
    let sent = Atomic<Int64>(0)
}
