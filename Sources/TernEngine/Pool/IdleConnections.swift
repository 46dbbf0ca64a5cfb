// SPDX-License-Identifier: Apache-2.0
import TernIO

/// How many connections of a shard are idle, whatever their routes, and how many are kept. On its loop's thread.
final class IdleConnections {
    // Unchecked: nothing else runs while it changes.
    @safe @exclusivity(unchecked) private var count = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isTooMany: Bool { count > limit }

    /// The number has changed by this in one pool.
    func add(_ change: Int) { count &+= change }

    /// The limit of a session for each of its shards; nil for the usual one: a server that redirects to many hosts leaves an
    /// idle connection to each, and the program needs descriptors, too.
    static func limits(_ limit: Int?, connectionsPerHost: Int, shardCount: Int) -> [Int] {
        let limit = max(0, limit ?? max(Descriptor.limit / 4, connectionsPerHost))
        return (0..<shardCount).map { limit / shardCount + ($0 < limit % shardCount ? 1 : 0) }
    }
}
