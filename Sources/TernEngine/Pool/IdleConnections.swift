// SPDX-License-Identifier: Apache-2.0
import TernIO

/// How many connections of a shard are idle, whatever their routes, and how many are kept. On its loop's thread.
final class IdleConnections {
    private var count = 0
    private let limit: Int
    /// Called when there are too many.
    private let closeSurplus: (IdleConnections) -> Void

    init(limit: Int, closeSurplus: @escaping (IdleConnections) -> Void) {
        (self.limit, self.closeSurplus) = (limit, closeSurplus)
    }

    var isTooMany: Bool { count > limit }

    /// A pool has so many more.
    func add(_ change: Int) { count &+= change }

    func closeIfTooMany() { if isTooMany { closeSurplus(self) } }

    /// The limit of a session for each of its shards; nil for the usual one: a server that redirects to many hosts leaves an
    /// idle connection to each, and the program needs descriptors, too.
    static func limits(_ limit: Int?, connectionsPerHost: Int, shardCount: Int) -> [Int] {
        let limit = max(0, limit ?? max(Descriptor.limit / 4, connectionsPerHost))
        return (0..<shardCount).map { limit / shardCount + ($0 < limit % shardCount ? 1 : 0) }
    }
}
