// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import TernIO

/// A listening socket on the loopback, straight from the kernel; its accepted connections block.
final class Listener: Sendable {
    let address: TransportAddress
    private let descriptor: Descriptor

    /// `backlog` 0 holds one connection that has not been accepted; the next SYN is not answered.
    init(_ host: String = "127.0.0.1", backlog: Int32 = 128) throws {
        descriptor = try Listener.bound(host)
        address = try Listener.address(of: descriptor)
        _ = try SystemCall.run(.listen) { [descriptor = descriptor.rawValue] in listen(descriptor, backlog) }
    }

    /// An address that refuses connections for as long as the returned descriptor, bound but not listening, is open.
    static func refusing(_ host: String = "127.0.0.1") throws -> (address: TransportAddress, holder: Holder) {
        let descriptor = try bound(host)
        return (try address(of: descriptor), Holder(descriptor: descriptor))
    }

    /// Waits for the next connection.
    func accept() throws -> Descriptor {
        Descriptor(
            owning: try SystemCall.run(.accept4) { [descriptor = descriptor.rawValue] in
                Glibc.accept(descriptor, nil, nil)
            })
    }

    /// Keeps a descriptor open.
    final class Holder: Sendable {
        let descriptor: Descriptor
        init(descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    private static func bound(_ host: String) throws -> Descriptor {
        guard let any = TransportAddress(literal: host, port: 0) else { throw SystemCallError(.bind, code: EINVAL) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(owning: try SystemCall.run(.socket) { socket(any.family, type, 0) })
        let raw = descriptor.rawValue
        _ = try SystemCall.run(.bind) { unsafe any.withKernelForm { unsafe bind(raw, $0, $1) } }
        return descriptor
    }

    private static func address(of descriptor: borrowing Descriptor) throws -> TransportAddress {
        let raw = descriptor.rawValue
        let address = try unsafe TransportAddress.asking(.getsockname) { unsafe getsockname(raw, $0, $1) }
        guard let address else { throw SystemCallError(.getsockname, code: EAFNOSUPPORT) }
        return address
    }
}
