// SPDX-License-Identifier: Apache-2.0
import CTernLinux

/// What a registration waits for. An empty interest takes the descriptor out of epoll, because a hang-up cannot be
/// masked and would spin the loop while a transfer is paused.
public struct Interest: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readable = Interest(rawValue: 1)
    public static let writable = Interest(rawValue: 2)

    var epollEvents: UInt32 {
        var events: UInt32 = 0
        if contains(.readable) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if contains(.writable) { events |= EPOLLOUT.rawValue }
        return events
    }
}
