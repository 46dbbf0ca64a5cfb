// SPDX-License-Identifier: Apache-2.0

/// Where an origin listens and how much of its sockets and memory it uses.
public struct OriginConfiguration: Sendable {
    /// An address that no other machine reaches.
    public enum Address: Sendable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
        /// A Unix domain socket. The file is there for as long as the origin listens, and must not be before.
        case unix(path: String)
        /// A Unix domain socket with a name in Linux's abstract space, which no file stands for.
        case abstract(name: String)
    }

    /// Where the origin listens; no other machine reaches it.
    public var address = Address.ipv4
    /// 0 lets the kernel choose. Nothing to a Unix domain socket.
    public var port: UInt16 = 0
    /// The size asked for the kernel's receive buffer of each connection (SO_RCVBUF); nil leaves it alone.
    public var receiveBufferSize: Int32?
    /// How many of the latest requests ``OriginObservations/requests`` holds at least; all are counted.
    public var rememberedRequests = 10_000

    /// 127.0.0.1, on a port that the kernel chooses.
    public init() {}
}
