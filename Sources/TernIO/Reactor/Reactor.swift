// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// One thread with one epoll, and a Swift executor: a task that prefers it runs beside its sockets with no thread hop.
///
/// A reactor is its own handle. The thread ends by itself after the last reference is gone and everything sent to it
/// has run; there is nothing to shut down and nothing to forget.
public final class Reactor: TaskExecutor, SerialExecutor, Sendable {
    /// The loop behind this handle. Holding it does not keep the thread alive; holding the reactor does.
    public let loop: ReactorLoop

    /// Starts the thread. `name` shows in `ps` and debuggers, cut to 15 bytes. Fails when descriptors or threads run
    /// out.
    public init(name: String = "tern-reactor") throws(SystemCallError) {
        loop = try ReactorLoop()
        let loop = self.loop
        let executor = unsafe asUnownedTaskExecutor()
        let serialExecutor = unsafe asUnownedSerialExecutor()
        // The executor references are unowned; the loop uses them only to run a job, and the task of a job holds this
        // reactor (SE-0417).
        try Thread.start(name: name) { unsafe loop.run(on: executor, isolatedTo: serialExecutor) }
    }

    deinit { loop.stop() }

    /// Takes a job of an actor that runs on this reactor.
    public func enqueue(_ job: consuming ExecutorJob) {
        loop.enqueue(ReactorJob(UnownedJob(job), of: .actor))
    }

    // A job has to run as what it was enqueued as: run in the actors' isolation, a task without isolation would have to
    // be enqueued again after every suspension, and again for every nonisolated function it returns to. Both protocols
    // call their requirement `enqueue(_:)`; the attribute is the only way to tell them apart.
    /// Takes a job of a task that prefers this reactor.
    @_implements(TaskExecutor,enqueue(_:))
    public func enqueueTask(_ job: consuming ExecutorJob) {
        loop.enqueue(ReactorJob(UnownedJob(job), of: .task))
    }

    /// The reactor as actors that run on it know it.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    /// The reactor as tasks that prefer it know it.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

    /// Whether the caller is on the reactor's thread.
    public func isIsolatingCurrentContext() -> Bool? { loop.isCurrent }
}
