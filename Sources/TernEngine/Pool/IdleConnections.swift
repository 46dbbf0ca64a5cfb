// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernLock

/// How many connections of a shard are idle, whatever their routes, and how many are kept. On its loop's thread.
final class IdleConnections {
    var count = 0
    private let limit: Int
    /// Called when there are too many.
    var closeSurplus: () -> Void = {}

    init(limit: Int) { self.limit = limit }

    var isTooMany: Bool { count > limit }

    /// The limit of a session for each of its shards: a server that redirects to many hosts leaves an idle connection to each,
    /// and the program needs descriptors, too.
    static func limits(_ configuration: SessionConfiguration, of shardCount: Int) -> [Int] {
        let usual = max(descriptorLimit / 4, configuration.httpMaximumConnectionsPerHost)
        let limit = max(0, configuration.maximumIdleConnections ?? usual)
        return (0..<shardCount).map { limit / shardCount + ($0 < limit % shardCount ? 1 : 0) }
    }

    /// How many descriptors the process may have.
    private static var descriptorLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }
}

/// What has idle connections that it can close: on any thread.
protocol IdleHolder: AnyObject, Sendable {
    /// Calls `completion` once, on any thread, when all idle connections are closed.
    func closeIdle(then completion: @escaping @Sendable () -> Void)
}

/// The process has no descriptors left: the idle connections of all its sessions are closed before a connection fails.
enum DescriptorShortage {
    private struct Member {
        weak var holder: (any IdleHolder)?
    }

    private struct State {
        var members: [Member] = []
        /// From this number on, those of sessions that are gone are removed.
        var limit = 64
    }

    private static let state = Lock(State())

    static func add(_ holders: [some IdleHolder]) {
        state.withLock { state in
            state.members += holders.map { Member(holder: $0) }
            guard state.members.count > state.limit else { return }
            state.members.removeAll { $0.holder == nil }
            state.limit = max(64, 2 * state.members.count)
        }
    }

    /// Calls `completion` once, on any thread, when all idle connections of the process are closed.
    static func closeIdle(then completion: @escaping @Sendable () -> Void) {
        let holders = state.withLock { $0.members.compactMap(\.holder) }
        if holders.isEmpty { return completion() }
        let left = Countdown(from: holders.count, completion)
        for holder in holders { holder.closeIdle { left.count() } }
    }
}

extension ConnectError {
    /// Whether the process, or the machine, had no descriptor left for a socket.
    var isDescriptorShortage: Bool {
        !attempts.isEmpty && attempts.allSatisfy { [EMFILE, ENFILE].contains($0.error.code) }
    }
}
