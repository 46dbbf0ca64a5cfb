// SPDX-License-Identifier: Apache-2.0
// Safety: `getpeername` writes to an address of the given size.
import Glibc
import TernTesting

/// Looks at this process's descriptors for sockets that speak to one port: the client's side of an origin. Other tests,
/// which run at the same time, speak to other ports.
enum ClientSockets {
    static func count(to port: UInt16) -> Int { descriptors(to: port).count }

    /// How many of them the kernel watches for a peer that is gone.
    static func countWatched(to port: UInt16) -> Int {
        descriptors(to: port).count { descriptor in
            var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            return unsafe getsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &value, &size) == 0 && value != 0
        }
    }

    /// Waits until `count` bytes are unread in one of them. False when ten seconds have passed.
    static func waitForInput(of count: Int, from port: UInt16) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        var bytes = [UInt8](repeating: 0, count: count)
        while ContinuousClock.now < deadline {
            for descriptor in descriptors(to: port) {
                let received = unsafe recv(descriptor, &bytes, count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
                if received == count { return true }
            }
            sched_yield()
        }
        return false
    }

    /// Waits until the end of the stream has reached one of them, whatever lies before it. False when ten seconds have
    /// passed.
    static func waitForEnd(from port: UInt16) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            for descriptor in descriptors(to: port) {
                var entry = pollfd(fd: descriptor, events: rdhup, revents: 0)
                if unsafe poll(&entry, 1, 0) == 1 { return true }
            }
            sched_yield()
        }
        return false
    }

    // POLLRDHUP, which glibc declares only under _GNU_SOURCE; the number is the kernel's.
    private static let rdhup: Int16 = 0x2000

    private static func descriptors(to port: UInt16) -> [Int32] {
        guard let directory = unsafe opendir("/proc/self/fd") else { return [] }
        defer { unsafe closedir(directory) }
        var descriptors: [Int32] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if let descriptor = Int32(name), peerPort(of: descriptor) == port { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// Connections to the port that wait for an answer to their SYN, as the kernel lists them.
    static func countConnecting(to port: UInt16) -> Int {
        let remote = ":" + (String(port, radix: 16, uppercase: true).leftPadded(to: 4)) + " 02 "
        guard let file = unsafe fopen("/proc/net/tcp", "r") else { return -1 }
        defer { unsafe fclose(file) }
        var text = [UInt8](repeating: 0, count: 4 << 20)
        let length = unsafe fread(&text, 1, text.count, file)
        let lines = String(decoding: text[..<length], as: UTF8.self).split(separator: "\n")
        // The list changes while it is read, and may name a connection twice: its local end distinguishes it from
        // others.
        return Set(lines.filter { $0.contains(remote) }.map { $0.split(separator: " ")[1] }).count
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

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
