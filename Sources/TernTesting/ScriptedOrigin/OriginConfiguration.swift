// SPDX-License-Identifier: Apache-2.0

/// The address that an origin listens on, and the sizes of its sockets and memory.
public struct OriginConfiguration: Sendable {
    /// A loopback address.
    public enum Address: Sendable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
        /// A Unix domain socket. The file exists for as long as the origin listens, and must not exist before.
        case unix(path: String)
        /// A Unix domain socket with a name in Linux's abstract namespace, which has no file.
        case abstract(name: String)
    }

    /// The address that the origin listens on; other machines cannot reach it.
    public var address = Address.ipv4
    /// 0 lets the kernel choose. Ignored for a Unix domain socket.
    public var port: UInt16 = 0
    /// The size of the kernel's receive buffer of each connection (SO_RCVBUF); nil for the default.
    public var receiveBufferSize: Int32?
    /// The minimum number of the latest requests that ``OriginObservations/requests`` keeps; all are counted.
    public var rememberedRequests = 10_000

    /// 127.0.0.1, on a port that the kernel chooses.
    public init() {}
}
