// SPDX-License-Identifier: Apache-2.0
// Safety: socket addresses are passed to the kernel by pointers that live for the call, with their own size.

import Glibc

/// A TCP port on 127.0.0.1.
struct LoopbackPort {
    let number: UInt16

    init(_ number: UInt16) { self.number = number }

    /// A port without a listener at the moment; another process may be faster to take it.
    static func free() throws(ServerError) -> LoopbackPort {
        let descriptor = openSocket()
        defer { close(descriptor) }
        var address = LoopbackPort(0).address
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard result == 0 else { throw .noFreePort(errno: errno) }
        return LoopbackPort(UInt16(bigEndian: address.sin_port))
    }

    /// Whether a connection to it succeeds.
    func accepts() -> Bool {
        let descriptor = Self.openSocket()
        defer { close(descriptor) }
        var address = address
        return unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private var address: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func openSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
}
