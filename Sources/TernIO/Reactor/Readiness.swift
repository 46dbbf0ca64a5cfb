// SPDX-License-Identifier: Apache-2.0
import CTernLinux

/// Why a handler is called; several reasons may come at once.
public struct Readiness: OptionSet, Sendable, Hashable {
    /// One bit for each reason.
    public let rawValue: UInt8
    /// From bits; those that are no reason change nothing.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes, an end of stream or an error wait to be received.
    public static let readable = Readiness(rawValue: 1)
    /// There is room to send, or an error to be told.
    public static let writable = Readiness(rawValue: 2)
    /// The registration's deadline has passed.
    public static let deadline = Readiness(rawValue: 4)
    /// The peer has closed its half: behind what waits to be received lies the end of the stream, or an error.
    public static let peerClosed = Readiness(rawValue: 8)
    /// The visit that was asked for; the descriptor has nothing to do with it.
    public static let visit = Readiness(rawValue: 16)

    /// `EPOLLHUP` and `EPOLLERR` cannot be masked, so they count as both directions: the transfer reports what is
    /// wrong.
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
