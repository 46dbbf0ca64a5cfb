// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
import TernLock

/// One thread with one epoll, and a Swift executor: a task that prefers it runs beside its sockets with no thread hop.
///
/// Needs no shutdown: the thread ends after the last reference is released and all work sent to it has run.
public final class Reactor: TaskExecutor, SerialExecutor, Sendable {
    /// The loop of this reactor. A reference to the loop does not keep the thread alive; a reference to the reactor
    /// does.
    public let loop: ReactorLoop

    /// Starts the thread. `name` appears in `ps` and debuggers, truncated to 15 bytes. Fails when descriptors or
    /// threads run out.
    public convenience init(name: String = "tern-reactor") throws(SystemCallError) {
        try self.init(name: name, clock: nil)
    }

    /// - Parameter clock: has the time of all deadlines; nil for the kernel's.
    init(name: String, clock: TestClock?) throws(SystemCallError) {
        loop = try ReactorLoop(clock: clock)
        let loop = self.loop
        // Unowned references: otherwise the thread would keep this reactor alive.
        let executors = unsafe ReactorJob.Executors(task: asUnownedTaskExecutor(), actor: asUnownedSerialExecutor())
        try Thread.start(name: name) { loop.run(executors) }
    }

    deinit { loop.stop() }

    /// Enqueues a job of an actor that runs on this reactor.
    public func enqueue(_ job: consuming ExecutorJob) {
        loop.enqueue(ReactorJob(UnownedJob(job), of: .actor))
    }

    // A job has to run as what it was enqueued as: run in the actor's isolation, a task without isolation would have to
    // be enqueued again after every suspension, and again for every nonisolated function it returns to. Both protocols
    // call their requirement `enqueue(_:)`; only the attribute distinguishes them.
    /// Enqueues a job of a task that prefers this reactor.
    @_implements(TaskExecutor,enqueue(_:))
    public func enqueueTask(_ job: consuming ExecutorJob) {
        loop.enqueue(ReactorJob(UnownedJob(job), of: .task))
    }

    /// The reactor as an executor of actors.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    /// The reactor as an executor of tasks.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

    /// Whether the caller is on the reactor's thread.
    public func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }
}
