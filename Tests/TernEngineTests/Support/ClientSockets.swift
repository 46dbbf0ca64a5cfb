// SPDX-License-Identifier: Apache-2.0
// Safety: `getpeername` writes into an address of the size it is told.
import Glibc
import TernTesting

/// Looks at this process's descriptors for sockets that are connected to one port: the client's side of an origin. Other
/// tests, which run at the same time, speak to other ports.
enum ClientSockets {
    static func count(to origin: ScriptedOrigin) -> Int {
        guard let directory = unsafe opendir("/proc/self/fd") else { return -1 }
        defer { unsafe closedir(directory) }
        var count = 0
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if let descriptor = Int32(name), peerPort(of: descriptor) == origin.port { count += 1 }
        }
        return count
    }

    private static func peerPort(of descriptor: Int32) -> UInt16? {
        // The port stands at the same place in both families.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &size)
            }
        }
        guard result == 0, address.sin6_family == AF_INET || address.sin6_family == AF_INET6 else { return nil }
        return UInt16(bigEndian: address.sin6_port)
    }
}
