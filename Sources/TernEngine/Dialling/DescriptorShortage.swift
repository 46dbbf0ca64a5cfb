// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// What has idle connections that it can close: on any thread.
protocol IdleHolder: AnyObject, Sendable {
    /// Calls `completion` once, on any thread, when all idle connections are closed.
    func closeIdle(then completion: @escaping @Sendable () -> Void)
}

/// The process has no descriptors left: the idle connections of all its sessions are closed before a connection fails.
///
/// Holders are referenced until they are removed: what has weak references is slow to retain, and each request does.
enum DescriptorShortage {
    private static let members = Lock<[ObjectIdentifier: any IdleHolder]>([:])

    static func add(_ holders: [some IdleHolder]) {
        members.withLock { members in for holder in holders { members[ObjectIdentifier(holder)] = holder } }
    }

    static func remove(_ holders: [some IdleHolder]) {
        members.withLock { members in for holder in holders { members[ObjectIdentifier(holder)] = nil } }
    }

    /// Calls `completion` once, on any thread, when all idle connections of the process are closed.
    static func closeIdle(then completion: @escaping @Sendable () -> Void) {
        let holders = members.withLock { Array($0.values) }
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
