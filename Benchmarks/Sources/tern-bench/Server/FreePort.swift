// SPDX-License-Identifier: Apache-2.0
// Safety: socket addresses are passed to the kernel by pointers that live for the call, with their own size.

internal import Glibc

/// Ports on 127.0.0.1.
enum FreePort {
    /// One that nobody listens on at the moment.
    static func find() throws -> UInt16 {
        let descriptor = openSocket()
        defer { close(descriptor) }
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard result == 0 else { throw PeerUnavailable(reason: "no free loopback port: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Whether somebody accepts connections on it before five seconds have passed.
    static func becomesTaken(_ port: UInt16) -> Bool {
        for _ in 0..<500 {
            if accepts(port) { return true }
            usleep(10_000)
        }
        return false
    }

    private static func accepts(_ port: UInt16) -> Bool {
        let descriptor = openSocket()
        defer { close(descriptor) }
        var address = loopback(port)
        return unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func openSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
}
