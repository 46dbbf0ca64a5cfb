// SPDX-License-Identifier: Apache-2.0
import CTernLinux

/// Why a handler is called; reasons may be combined.
public struct Readiness: OptionSet, Sendable, Hashable {
    /// One bit for each reason.
    public let rawValue: UInt8
    /// Creates a set from bits; unknown bits have no effect.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes, an end of stream or an error can be received.
    public static let readable = Readiness(rawValue: 1)
    /// There is room to send, or an error to report.
    public static let writable = Readiness(rawValue: 2)
    /// The registration's deadline has passed.
    public static let deadline = Readiness(rawValue: 4)
    /// The peer has closed its sending half: the bytes to receive end with the end of the stream, or an error.
    public static let peerClosed = Readiness(rawValue: 8)
    /// The requested visit; it says nothing about the descriptor.
    public static let visit = Readiness(rawValue: 16)

    /// `EPOLLHUP` and `EPOLLERR` cannot be masked, so they count as both directions: the transfer reports the error.
    init(epoll events: UInt32) {
        var readiness: Readiness = []
        if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            readiness.insert(.readable)
        }
        if events & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.peerClosed) }
        if events & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.writable) }
        self = readiness
    }
}

/// Handles the readiness of a registration: the only protocol through which this module calls its users.
public protocol ReadinessHandler: AnyObject {
    /// Called on the reactor's thread. `readiness` may be outdated: a handler tries the transfer and relies on its
    /// result.
    func ready(_ readiness: Readiness)
}

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
