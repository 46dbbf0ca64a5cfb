// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

/// An element of a `TaskTable`, of at most one at a time.
protocol TableMember: AnyObject, Sendable {
    /// The element's position, guarded by the table's lock.
    var tableIndex: Int32 { get set }
}

/// The tasks of a session on one reactor that have been started and have not ended.
final class TaskTable<Member: TableMember>: Sendable {
    /// From `resume()` on, before their reactor has processed it.
    private let count = Atomic<Int>(0)
    /// Whether the library has made them for itself.
    let isOwn: Bool
    private let tasks = Lock<[Member]>([])
    private let ending = Lock<(@Sendable () -> Void)?>(nil)
    private let isAwaited = Atomic<Bool>(false)
    private let cancels = Atomic<Bool>(false)

    init(isOwn: Bool = false) { self.isOwn = isOwn }

    /// A task was started.
    func began() { count.add(1, ordering: .sequentiallyConsistent) }

    /// A task that was started has ended.
    func ended() {
        let left = count.subtract(1, ordering: .sequentiallyConsistent).newValue
        if left == 0, isAwaited.load(ordering: .sequentiallyConsistent) { end() }
    }

    /// Whether no other task than the asking one is running.
    var isForOne: Bool { count.load(ordering: .relaxed) <= 1 }

    /// Its reactor has started it. False if all tasks have been cancelled meanwhile.
    func add(_ task: Member) -> Bool {
        tasks.withLock { tasks in
            task.tableIndex = Int32(clamping: tasks.count)
            tasks.append(task)
        }
        return !cancels.load(ordering: .sequentiallyConsistent)
    }

    /// Has no effect if it is not listed.
    func remove(_ task: Member) {
        let removed: Member? = tasks.withLock { tasks in
            let place = Int(task.tableIndex)
            guard place >= 0, place < tasks.count, tasks[place] === task else { return nil }
            tasks.swapAt(place, tasks.count - 1)
            tasks[place].tableIndex = Int32(clamping: place)
            task.tableIndex = -1
            return tasks.popLast()
        }
        withExtendedLifetime(removed) {}
    }

    var all: [Member] { tasks.withLock { $0 } }

    /// Returns the tasks for the caller to cancel. Those that their reactor has not started are told then.
    func cancelAll() -> [Member] {
        cancels.store(true, ordering: .sequentiallyConsistent)
        return all
    }

    /// Calls `body` once, as soon as no task is running: perhaps at once.
    func whenEmpty(_ body: @escaping @Sendable () -> Void) {
        ending.withLock { $0 = body }
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        if count.load(ordering: .sequentiallyConsistent) == 0 { end() }
    }

    private func end() {
        let body = ending.withLock { $0.take() }
        body?()
    }
}
