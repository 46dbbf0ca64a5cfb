// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
import Synchronization
import TernLock

/// The reactors that sessions share. They start with the first user and end when the last reference is released.
///
/// A group is a task executor, too. A job that is enqueued on the thread of one of its reactors stays there; another one
/// goes to the reactor with the fewest waiting jobs. Jobs of a reactor run in the order in which they were enqueued,
/// whatever their priority.
public final class ReactorGroup: TaskExecutor, Sendable {
    /// The reactors, with one thread each; at least one.
    public let reactors: [Reactor]
    private let loops: [ReactorLoop]
    /// What reactors have others do, they can rely on.
    private let workThread: WorkThreads.Keeper
    private let turn = Atomic<UInt>(0)

    /// Starts reactors.
    ///
    /// - Parameters:
    ///   - count: how many; at least one is started.
    ///   - clock: has the time of the deadlines on them; nil, the default, for the kernel's.
    public init(count: Int, clock: TestClock? = nil) throws(SystemCallError) {
        workThread = try WorkThreads.shared.keep()
        var reactors: [Reactor] = []
        for index in 0..<max(1, count) { reactors.append(try Reactor(name: "tern-reactor-\(index)", clock: clock)) }
        self.reactors = reactors
        loops = reactors.map(\.loop)
        for loop in loops { unsafe loop.join(asUnownedTaskExecutor()) }
    }

    /// Returns the group of this process, with one reactor for every two processors; creates it if there is none.
    public static func shared() throws(SystemCallError) -> ReactorGroup {
        try sharedGroup.withLock { (shared) throws(SystemCallError) in
            if let group = shared.group { return group }
            let group = try ReactorGroup(count: sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)
            shared.group = group
            return group
        }
    }

    /// Enqueues a job of a task that prefers the group.
    public func enqueue(_ job: consuming ExecutorJob) {
        loopForJob.enqueue(ReactorJob(UnownedJob(job), of: .group))
    }

    /// The group as an executor of tasks.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

    /// Enqueues a job of no executor in particular. The group must not end before the job has run.
    package func enqueueGlobal(_ job: UnownedJob) {
        loopForJob.enqueue(ReactorJob(job, of: .global))
    }

    /// Enqueues such a job at `deadline` of the kernel's clock, which the group must have, or up to 5 ms later. A deadline
    /// of the end of time never comes.
    package func enqueueGlobal(_ job: UnownedJob, at deadline: MonotonicInstant) {
        if deadline <= .now { return enqueueGlobal(job) }
        loopForJob.enqueue(ReactorJob(job, of: .global), at: deadline)
    }

    /// Lets debug builds write nothing of jobs that hold up a reactor, in a program whose standard error others read.
    package static func silenceWarnings() {
        #if DEBUG
            JobWatch.isSilent.store(true, ordering: .relaxed)
        #endif
    }

    /// The loop of this thread, because that needs no hop; otherwise the one with the fewest waiting jobs, and of several
    /// each in turn.
    private var loopForJob: ReactorLoop {
        for loop in loops where loop.isCurrent { return loop }
        if loops.count == 1 { return loops[0] }
        let first = Int(turn.wrappingAdd(1, ordering: .relaxed).oldValue % UInt(loops.count))
        var (best, fewest) = (loops[first], loops[first].waitingJobs)
        for offset in 1..<loops.count where fewest > 0 {
            let loop = loops[(first + offset) % loops.count]
            let count = loop.waitingJobs
            if count < fewest { (best, fewest) = (loop, count) }
        }
        return best
    }
}

private struct SharedGroup {
    weak var group: ReactorGroup?
}

private let sharedGroup = Lock(SharedGroup())
