// SPDX-License-Identifier: Apache-2.0
// Safety: socket addresses are passed to the kernel by pointers that live for the call, with their own size.
import Glibc
import Synchronization
import TernIO
import TernTesting

/// The file of a Unix domain socket, in an empty folder; removed with the value.
final class UnixSocket: Sendable {
    private static let count = Atomic<Int>(0)

    let path: String
    let name: UnixSocketName

    init() throws {
        path = "/tmp/tern-engine-\(getpid())-\(Self.count.add(1, ordering: .relaxed).newValue)"
        name = try UnixSocketName(path: path)
    }

    deinit { _ = unsafe unlink(path) }

    /// The address for an origin that listens here.
    var configuration: ScriptedOrigin.Configuration {
        var configuration = ScriptedOrigin.Configuration()
        configuration.address = .unix(path: path)
        return configuration
    }

    /// Leaves a socket here; it listens only with a backlog, and never accepts. The descriptor is the caller's.
    func bind(backlog: Int32? = nil) throws(ScriptedOriginError) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard unsafe lend({ unsafe Glibc.bind(descriptor, $0, $1) }) == 0 else {
            throw .system(call: "bind", errno: errno)
        }
        if let backlog { listen(descriptor, backlog) }
        return descriptor
    }

    /// A connection from here, that takes a place in the backlog.
    func connect() -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        _ = unsafe lend { unsafe Glibc.connect(descriptor, $0, $1) }
        return descriptor
    }

    private func lend(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
