// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

@testable import TernIO

/// A listening Unix domain socket in a folder of its own, or in the abstract space; its accepted connections block.
final class UnixListener: Sendable {
    private static let count = Atomic<Int>(0)

    let name: UnixSocketName
    private let descriptor: Descriptor

    var address: TransportAddress { .unix(name) }

    /// `backlog` 0 holds one connection that has not been accepted.
    init(_ name: UnixSocketName, backlog: Int32 = 128) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(owning: try SystemCall.run(.socket) { socket(AF_UNIX, type, 0) })
        let raw = descriptor.rawValue
        _ = try SystemCall.run(.bind) { unsafe TransportAddress.unix(name).withKernelForm { unsafe bind(raw, $0, $1) } }
        _ = try SystemCall.run(.listen) { listen(raw, backlog) }
        self.name = name
        self.descriptor = descriptor
    }

    deinit {
        if let path = name.path { _ = unsafe unlink(path) }
    }

    /// A path that nothing lies at, of exactly `length` bytes if that is said.
    static func freshPath(length: Int? = nil) -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        let path = "/tmp/tern-\(getpid())-\(number)"
        guard let length else { return path }
        return path + String(repeating: "x", count: length - path.utf8.count)
    }

    /// Waits for the next connection.
    func accept() throws -> Descriptor {
        Descriptor(
            owning: try SystemCall.run(.accept4) { [descriptor = descriptor.rawValue] in
                Glibc.accept(descriptor, nil, nil)
            })
    }
}
