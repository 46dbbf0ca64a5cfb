// SPDX-License-Identifier: Apache-2.0

extension ScriptedOrigin {
    /// Where an origin listens and how much of its sockets and memory it uses.
    public struct Configuration: Sendable {
        /// A loopback address.
        public enum Address: Sendable {
            /// 127.0.0.1
            case ipv4
            /// ::1
            case ipv6
        }

        /// Where the origin listens; no other machine reaches it.
        public var address = Address.ipv4
        /// 0 lets the kernel choose.
        public var port: UInt16 = 0
        /// The size asked for the kernel's receive buffer of each connection (SO_RCVBUF); nil leaves it alone.
        public var receiveBufferSize: Int32?
        /// How many of the latest requests ``Observations/requests`` holds at least; all are counted.
        public var rememberedRequests = 10_000

        /// 127.0.0.1, on a port that the kernel chooses.
        public init() {}
    }
}
