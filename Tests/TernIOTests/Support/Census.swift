// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

/// What the kernel says this process has. Other tests run beside, so everything is asked for by a name of its own.
enum Census {
    /// Threads with this name, of at most 15 bytes.
    static func threads(named name: String) -> Int {
        entries(of: "/proc/self/task").count { text(of: "/proc/self/task/\($0)/comm") == name + "\n" }
    }

    static var currentThreadName: String { String(text(of: "/proc/thread-self/comm").dropLast()) }

    /// The kernel's identity of an open socket, such as `socket:[4711]`. Epolls and eventfds have none of their own.
    static func identity(of descriptor: Int32) -> String? { target(of: "/proc/self/fd/\(descriptor)") }

    /// How many descriptors the whole process has: to be asked in a process of one's own.
    static var descriptors: Int { entries(of: "/proc/self/fd").count }

    /// Whether some descriptor of this process still leads to `identity`.
    static func isOpen(_ identity: String) -> Bool {
        entries(of: "/proc/self/fd").contains { Int32($0).flatMap { self.identity(of: $0) } == identity }
    }

    /// How many descriptors an epoll watches.
    static func watched(by epoll: Int32) -> Int {
        text(of: "/proc/self/fdinfo/\(epoll)").split(separator: "\n").count { $0.hasPrefix("tfd:") }
    }

    /// The number of sockets on this machine that are connected, or connecting, to `address`. The kernel's table
    /// changes while it is read, so an entry may be missed or counted twice.
    static func connections(to address: TransportAddress) -> Int {
        guard let port = address.port.map({ String($0, radix: 16, uppercase: true) }) else { return 0 }
        let suffix = ":" + String(repeating: "0", count: 4 - port.count) + port
        let table = text(of: address.isIPv6 ? "/proc/net/tcp6" : "/proc/net/tcp").split(separator: "\n")
        return table.dropFirst().count { line in
            let fields = line.split(separator: " ")
            // 06 is a connection that has ended and only waits for stray segments.
            return fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] != "06"
        }
    }

    /// The signals that the calling thread blocks.
    static func blockedSignals() -> UInt64? {
        line("SigBlk:", in: "/proc/thread-self/status").flatMap {
            UInt64($0.split(separator: "\t").last ?? "", radix: 16)
        }
    }

    /// How many bytes wait in the eventfd's counter.
    static func count(ofEventDescriptor descriptor: Int32) -> UInt64? {
        line("eventfd-count:", in: "/proc/self/fdinfo/\(descriptor)").flatMap {
            UInt64($0.split(separator: " ").last ?? "", radix: 16)
        }
    }

    private static func line(_ prefix: String, in path: String) -> String? {
        text(of: path).split(separator: "\n").first { $0.hasPrefix(prefix) }.map(String.init)
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func target(of path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String? in
            guard let address = buffer.baseAddress else { return nil }
            let count = unsafe readlink(path, address, buffer.count)
            guard count > 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(start: address, count: count), as: UTF8.self)
        }
    }

    private static func text(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        let descriptor = Descriptor(owning: file)
        var bytes: [UInt8] = []
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while true {
                let count = unsafe read(descriptor.rawValue, buffer.baseAddress, buffer.count)
                if count <= 0 { return }
                unsafe bytes.append(contentsOf: buffer.prefix(count))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Waits for something that the kernel does not announce, such as the end of a thread: asks until it is so, for a
/// minute at most, between what other tests do on this thread.
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = MonotonicInstant.now.advanced(by: .seconds(60))
    while !condition() {
        if MonotonicInstant.now > end { return false }
        await Task.yield()
    }
    return true
}
