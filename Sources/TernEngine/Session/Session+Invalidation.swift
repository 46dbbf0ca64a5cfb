// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO

extension Session {
    /// Accepts no more tasks, and ends when the started ones are done: then its connections are closed, and its
    /// delegate is called and released. A task that is resumed later fails with `sessionInvalidated`. Has no effect the
    /// second time, nor for the session that a process shares, `URLSession.shared`.
    public func finishTasksAndInvalidate() { invalidate() }

    /// The same, and cancels the running tasks.
    public func invalidateAndCancel() {
        invalidate()
        if invalidation.load(ordering: .sequentiallyConsistent) == .ruledOut { return }
        for table in tables { for task in table.cancelAll() { task.abandon() } }
        for task in ownTasks { task.cancel() }
        for shard in shards { shard.perform { $0.endMembers(.cancelled) } }
    }

    /// Accepts no more tasks, waits for the started ones, and returns when the session has ended: its connections are closed,
    /// and its delegate was called. For the end of a program that is told when to stop.
    ///
    /// May be called several times, also at once: the shortest time counts. A task that is suspended, or whose delegate does
    /// not answer a question, ends with the time, and not before. Returns at once for the session that a process
    /// shares, `URLSession.shared`, which does not end.
    ///
    /// - Parameter limit: the time that the tasks have; then those that are left are cancelled. Nil for no limit.
    ///   Cancelling the Swift task that waits cancels them, too.
    public func finish(within limit: Duration? = nil) async {
        finishTasksAndInvalidate()
        if invalidation.load(ordering: .sequentiallyConsistent) == .ruledOut { return }
        async let _ = cancelTasks(after: limit)
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            invalidateAndCancel()
        }
    }

    private func cancelTasks(after limit: Duration?) async {
        guard let limit, (try? await limit.sleep(by: configuration.clock)) != nil else { return }
        invalidateAndCancel()
    }

    /// Makes every later request use a connection opened after this: idle connections are closed at once, those in use
    /// after their exchange.
    ///
    /// What the session has learned stays: logins of servers and proxies, TLS sessions, answers about revocation, and
    /// what counts for rates. So does what is in its storages: cookies, responses, credentials, hosts over TLS only.
    public func reset() {
        for shard in shards { shard.perform { $0.reset() } }
    }

    /// Makes both without effect: no part of a program ends a session of the others.
    package func ruleOutInvalidation() { invalidation.store(.ruledOut, ordering: .sequentiallyConsistent) }

    private func invalidate() {
        let (begins, _) = invalidation.compareExchange(
            expected: .possible, desired: .begun, ordering: .sequentiallyConsistent)
        if !begins { return }
        let left = Countdown(from: tables.count) { [self] in
            close()
            let delegate = takeDelegate()
            delegate?.sessionDidBecomeInvalid(self)
            end.begin()
        }
        for table in tables { table.whenEmpty { left.count() } }
        if tables.isEmpty { left.end() }
    }
}
