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
        }
        for table in tables { table.whenEmpty { left.count() } }
        if tables.isEmpty { left.end() }
    }
}
