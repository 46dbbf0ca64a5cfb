// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Chooses the shard of each task of a session.
///
/// If a host may have fewer connections than there are shards, its tasks run on as many of them: its connections would
/// move from one to the other otherwise, and each move closes one and opens another.
final class TaskPlaces: Sendable {
    /// One per shard, in order.
    let all: [TaskPlace]
    /// How many of them the tasks for one host use.
    private let perHost: Int
    private let turn = Atomic<Int>(0)

    /// - Parameters:
    ///   - connectionsPerHost: the maximum number.
    ///   - areOwn: the tasks are the library's.
    init(_ shards: [Shard<AttemptDriver>], connectionsPerHost: Int, areOwn: Bool = false) {
        all = shards.map { TaskPlace(shard: $0, table: TaskTable(isOwn: areOwn)) }
        perHost = max(1, min(connectionsPerHost, shards.count))
    }

    /// Returns the place for a task: that of the current thread if it is one, because that needs no hop, and otherwise
    /// each in turn. Nil if there are no shards.
    func place(for request: URLRequest) -> TaskPlace? {
        if all.isEmpty { return nil }
        let first = first(for: request)
        if perHost == 1 { return self[first] }
        for offset in 0..<perHost where self[first + offset].shard.loop.isCurrent { return self[first + offset] }
        let turn = UInt(bitPattern: turn.wrappingAdd(1, ordering: .relaxed).oldValue)
        return self[first + Int(turn % UInt(perHost))]
    }

    /// Returns the places that tasks for such a request may get.
    func places(for request: URLRequest) -> [TaskPlace] {
        if all.isEmpty { return [] }
        let first = first(for: request)
        return (0..<perHost).map { self[first + $0] }
    }

    @inline(__always)
    private func first(for request: URLRequest) -> Int {
        // The order does not matter, and hashing costs.
        guard perHost < all.count, let origin = try? request.origin() else { return 0 }
        return Int(UInt(bitPattern: origin.hashValue) % UInt(all.count))
    }

    private subscript(number: Int) -> TaskPlace { all[number % all.count] }
}
