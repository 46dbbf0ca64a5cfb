// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

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
        !attempts.isEmpty && attempts.allSatisfy { $0.error.isDescriptorShortage }
    }
}
