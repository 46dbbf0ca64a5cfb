// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TernEngine
import TernLock

/// The requests that have not ended, by task, and those that wait for a task. Does not retain a request that was never
/// started.
///
/// Every request is added and removed here. Task identifiers count up, so their low bits are as good as a hash, and
/// short rows cost a fifth of a dictionary.
final class TaskRegistry: TaskTable {
    private struct Entry {
        let identifier: Int
        var request: Request
    }

    private struct WeakRequest {
        weak var request: Request?
    }

    private struct State {
        var rows = [[Entry]](repeating: [], count: rowCount)
        var unstarted: [Int: WeakRequest] = [:]
        var waiting: [ObjectIdentifier: WeakRequest] = [:]
    }

    /// A power of two.
    private static let rowCount = 256

    private let state = Lock(State())
    /// Whether requests that wait for a handler are looked for soon.
    private let looks = Atomic<Bool>(false)
    /// In milliseconds.
    let patience = Atomic<Int>(50)

    private static func row(_ identifier: Int) -> Int { identifier & (rowCount - 1) }

    subscript(task: SessionTask) -> Request? {
        get {
            let identifier = task.taskIdentifier
            return state.withLock { state in
                state.rows[Self.row(identifier)].first { $0.identifier == identifier }?.request
                    ?? state.unstarted[identifier]?.request
            }
        }
        set {
            // The replaced value may be the last reference, which must not be released under the lock.
            let replaced = if let newValue { add(newValue, task.taskIdentifier) } else { remove(task.taskIdentifier) }
            withExtendedLifetime(replaced) {}
        }
    }

    private func add(_ request: Request, _ identifier: Int) -> Request? {
        let row = Self.row(identifier)
        return state.withLock { state in
            guard let place = state.rows[row].firstIndex(where: { $0.identifier == identifier }) else {
                state.rows[row].append(Entry(identifier: identifier, request: request))
                return nil
            }
            let replaced = state.rows[row][place].request
            state.rows[row][place].request = request
            return replaced
        }
    }

    private func remove(_ identifier: Int) -> Request? {
        let row = Self.row(identifier)
        return state.withLock { state in
            if !state.unstarted.isEmpty { state.unstarted[identifier] = nil }
            guard let place = state.rows[row].firstIndex(where: { $0.identifier == identifier }) else { return nil }
            state.rows[row].swapAt(place, state.rows[row].count - 1)
            return state.rows[row].popLast()?.request
        }
    }

    /// References a request weakly.
    func note(_ request: Request, for task: SessionTask) {
        state.withLock { $0.unstarted[task.taskIdentifier] = WeakRequest(request: request) }
    }

    /// Retains a weakly referenced request, if it still exists.
    func retain(requestOf task: SessionTask) {
        let request = state.withLock { $0.unstarted.removeValue(forKey: task.taskIdentifier)?.request }
        if let request { self[task] = request }
    }

    func letGo(_ task: SessionTask) {
        guard let request = self[task] else { return }
        self[task] = nil
        note(request, for: task)
    }

    func remove(_ task: SessionTask) { self[task] = nil }

    func add(_ download: SessionDownloadTask, inPlaceOf task: SessionTask) {
        if let request = self[task] { self[download] = request }
    }

    /// Adds a request that waits for its first task. Does not retain it.
    func addWaiting(_ request: Request) {
        state.withLock { $0.waiting[ObjectIdentifier(request)] = WeakRequest(request: request) }
    }

    func removeWaiting(_ request: Request) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(request)) }
    }

    /// Sends a request that no handler has sent: after one to two times `patience`.
    func sendSoon() {
        guard !looks.load(ordering: .relaxed), !looks.exchange(true, ordering: .relaxed) else { return }
        look(for: [])
    }

    /// - Parameter waiting: those that waited the last time.
    private func look(for waiting: [Request]) {
        let patience = DispatchTimeInterval.milliseconds(patience.load(ordering: .relaxed))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + patience) { [weak self] in
            for request in waiting { request.delegate.send() }
            guard let self else { return }
            looks.store(false, ordering: .sequentiallyConsistent)
            let unsent = unsent
            if !unsent.isEmpty, !looks.exchange(true, ordering: .relaxed) { look(for: unsent) }
        }
    }

    private var unsent: [Request] {
        state.withLock { state in
            var unsent: [Request] = []
            for row in state.rows.indices where !state.rows[row].isEmpty {
                for entry in state.rows[row] where entry.request.delegate.start.load(ordering: .relaxed) != .started {
                    unsent.append(entry.request)
                }
            }
            return unsent
        }
    }

    var all: [Request] {
        state.withLock { state in
            state.rows.flatMap { $0.map(\.request) } + state.waiting.values.compactMap(\.request)
                + state.unstarted.values.compactMap(\.request)
        }
    }
}
