// SPDX-License-Identifier: Apache-2.0
import CTernRuntime
import TernLibC
import TernIO
import TernLock
import TernSystem

/// Runs this process's tasks on the reactors that sessions share, for the rest of the process: a task then awaits its
/// requests on the thread of their sockets. Call it as the first thing in a program, before the first task.
///
/// Every job of no executor in particular runs there: tasks, child tasks and detached tasks, and actors without an
/// executor of their own. A job that is enqueued on a reactor stays on it; others go to the reactor with the least to
/// do, in the order in which they come: priorities have no effect. The main actor stays where it is.
///
/// `Task.sleep` ends at most about 5 ms late and never early. Time that the machine is suspended does not count.
///
/// A job must not compute or block for long: the requests of its reactor wait. A debug build reports each job that takes
/// longer than 10 ms on standard error; see ``blocking(_:)``.
///
/// A second call has no effect, and nothing undoes the first one.
///
/// - Throws: ``TernSystem/SystemCallError`` if descriptors or threads have run out. Tasks then run as before.
public func install() throws(SystemCallError) {
    try installed.withLock { (installed) throws(SystemCallError) in
        if installed != nil { return }
        let group = try ReactorGroup.shared()
        installed = group
        // Safety: `installed` retains the group for the rest of the process, and each job is enqueued once.
        var executor = unsafe TernGlobalExecutor(
            context: Unmanaged.passUnretained(group).toOpaque(),
            enqueue: { context, job in
                unsafe enqueue(job, on: context) { group, job in group.enqueueGlobal(job) }
            },
            enqueueAfter: { context, delay, job in
                let delay = Duration.nanoseconds(Int64(clamping: delay))
                unsafe enqueue(job, on: context) { group, job in
                    group.enqueueGlobal(job, at: .now.advanced(by: delay))
                }
            },
            enqueueAt: { context, seconds, nanoseconds, clock, job in
                let deadline = instant(seconds, nanoseconds, of: clock)
                unsafe enqueue(job, on: context) { group, job in group.enqueueGlobal(job, at: deadline) }
            })
        unsafe tern_set_global_executor(&executor)
    }
}

/// The same for a program whose standard error others read: a debug build names no jobs there.
package func installSilently() throws(SystemCallError) {
    ReactorGroup.silenceWarnings()
    try install()
}

/// Runs `body`, and all its child tasks, on the reactors that sessions share: beside their sockets, with no thread hop.
/// Nothing else changes, neither for other tasks nor for the main actor.
///
/// What ``install()`` says of jobs that compute or block applies here, too. Tasks that are not children, such as
/// `Task { }` and `Task.detached { }`, run elsewhere. If the reactors cannot start, `body` runs as if called directly;
/// its requests fail with the reason.
public func run<T, E: Error>(_ body: @concurrent () async throws(E) -> T) async throws(E) -> T {
    guard let group = try? ReactorGroup.shared() else { return try await body() }
    return try await withTaskExecutorPreference(group, operation: body)
}

/// Runs work that computes or blocks for long on a thread of its own, and returns what it returns: requests do not wait
/// for it.
///
/// The work does not notice that the calling task is cancelled, and does not see its task-local values. If no thread can
/// be started, it runs on the calling one.
public func blocking<T: Sendable, E: Error>(
    _ work: @escaping @Sendable () throws(E) -> T
) async throws(E) -> T {
    let result = unsafe await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<T, E>, Never>) in
        // Resumed once: either the thread does it, or there is none.
        let run: @Sendable () -> Void = { unsafe continuation.resume(returning: Result(catching: work)) }
        do { try detachThread(name: "tern-blocking", run) } catch { run() }
    }
    return try result.get()
}

/// The group whose reactors run this process's jobs.
private let installed = Lock<ReactorGroup?>(nil)

/// - Safety: `context` is a group, and `job` one that has not been enqueued.
@unsafe
private func enqueue(
    _ job: UnsafeMutableRawPointer, on context: UnsafeRawPointer,
    _ body: (ReactorGroup, UnownedJob) -> Void
) {
    // A job is passed as its address.
    let job = unsafe unsafeBitCast(job, to: UnownedJob.self)
    unsafe Unmanaged<ReactorGroup>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0, job) }
}

/// The instant of a clock of the runtime, on the reactors' clock. Never early: the reactors' clock is read last.
private func instant(_ seconds: Int64, _ nanoseconds: Int64, of clock: CInt) -> MonotonicInstant {
    let suspending: CInt = 2
    let whole = Duration.seconds(seconds)
    let target = MonotonicInstant(nanoseconds: 0).advanced(by: whole).advanced(by: .nanoseconds(nanoseconds))
    if clock == suspending { return target }
    var now = timespec()
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &now)  // cannot fail: the clock and the address are valid
    let start = MonotonicInstant(nanoseconds: Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec))
    let left = start.duration(to: target)
    return MonotonicInstant.now.advanced(by: left)
}
