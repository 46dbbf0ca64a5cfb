// SPDX-License-Identifier: Apache-2.0
import CTernLinux

/// The readiness that a registration waits for. An empty interest removes the descriptor from epoll, because a hang-up
/// cannot be masked and would spin the loop while a transfer is paused.
public struct Interest: OptionSet, Sendable, Hashable {
    /// One bit for each direction.
    public let rawValue: UInt8
    /// Creates an interest from bits; bits of no direction have no effect.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes to receive, or the end of the stream.
    public static let readable = Interest(rawValue: 1)
    /// Room to send, or the end of a connection attempt.
    public static let writable = Interest(rawValue: 2)

    var epollEvents: UInt32 {
        var events: UInt32 = 0
        if contains(.readable) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if contains(.writable) { events |= EPOLLOUT.rawValue }
        return events
    }
}
