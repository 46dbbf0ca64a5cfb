// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// The address of a socket's peer.
public enum TransportAddress: Sendable, Hashable, CustomStringConvertible {
    /// A TCP port, in the machine's byte order, at an IP address.
    case ip(IPAddress, port: UInt16)
    /// A Unix domain socket of this machine.
    case unix(UnixSocketName)
    /// None of these: the peer is an unnamed socket, such as one of a pair, or one of another family, such as vsock.
    /// Nothing can be connected to it.
    case unnamed

    /// Parses an IP literal: dotted IPv4, or IPv6 without brackets. Nil for any other text.
    public init?(literal: String, port: UInt16) {
        guard let address = IPAddress(literal: literal) else { return nil }
        self = .ip(address, port: port)
    }

    /// "127.0.0.1:80", "[::1]:443", "unix:/run/web.sock", or "unix:@web" for a name in the abstract space.
    public var description: String {
        switch self {
        case .ip(let address, let port): address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let name): "unix:\(name)"
        case .unnamed: "an unnamed peer"
        }
    }

    /// The IP address alone, without brackets. Nil for others.
    public var host: String? {
        switch self {
        case .ip(let address, _): address.description
        case .unix, .unnamed: nil
        }
    }

    /// The TCP port, in the machine's byte order. Nil for others.
    public var port: UInt16? {
        switch self {
        case .ip(_, let port): port
        case .unix, .unnamed: nil
        }
    }

    var isIPv6: Bool {
        switch self {
        case .ip(let address, _): address.isIPv6
        case .unix, .unnamed: false
        }
    }
}

/// The address in the form of system calls.
extension TransportAddress {
    /// Reads the `length` bytes that the kernel or the resolver wrote. Nil for other families, for an incomplete
    /// address, and for a Unix domain socket without a name.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(length))
        guard bytes.count >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(unsafe bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
            let v4 = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
            self = .ip(IPAddress(storage: .v4(v4.sin_addr.s_addr)), port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
            guard bytes.count >= MemoryLayout<sockaddr_in6>.size else { return nil }
            let v6 = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
            self = .ip(IPAddress(v6.sin6_addr, scope: v6.sin6_scope_id), port: UInt16(bigEndian: v6.sin6_port))
        case AF_UNIX:
            guard let name = unsafe UnixSocketName(kernelForm: bytes.dropFirst(MemoryLayout<sa_family_t>.size)) else {
                return nil
            }
            self = .unix(name)
        default:
            return nil
        }
    }

    /// Gets an address with a call like getsockname(2).
    static func asking(
        _ name: SystemCallError.Call,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemCallError) -> TransportAddress? {
        var storage = sockaddr_storage()
        let room = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var length = room
        return unsafe try withUnsafeMutablePointer(to: &storage) { pointer throws(SystemCallError) in
            // sockaddr_storage begins with the fields of sockaddr and has room for every family.
            let address = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
            _ = try SystemCall.run(name) { unsafe call(address, &length) }
            // The kernel returns the length it would have written with enough room.
            return unsafe TransportAddress(address, length: min(length, room))
        }
    }

    /// The address family, for example `AF_INET`.
    var family: Int32 {
        switch self {
        case .ip(let address, _): address.isIPv6 ? AF_INET6 : AF_INET
        case .unix: AF_UNIX
        case .unnamed: AF_UNSPEC
        }
    }

    /// Lends the address in the kernel's form.
    func withKernelForm<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        switch self {
        case .ip(let address, let port):
            switch address.storage {
            case .v4(let address):
                var v4 = sockaddr_in()
                v4.sin_family = sa_family_t(AF_INET)
                v4.sin_port = port.bigEndian
                v4.sin_addr = in_addr(s_addr: address)
                return unsafe Self.withPointer(&v4, length: MemoryLayout<sockaddr_in>.size, body)
            case .v6(let high, let low, let scope):
                var v6 = sockaddr_in6()
                v6.sin6_family = sa_family_t(AF_INET6)
                v6.sin6_port = port.bigEndian
                v6.sin6_scope_id = scope
                unsafe withUnsafeMutableBytes(of: &v6.sin6_addr) { bytes in
                    unsafe bytes.storeBytes(of: high, as: UInt64.self)
                    unsafe bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
                }
                return unsafe Self.withPointer(&v6, length: MemoryLayout<sockaddr_in6>.size, body)
            }
        case .unix(let name):
            var unix = sockaddr_un()
            unix.sun_family = sa_family_t(AF_UNIX)
            let path = name.kernelForm  // fits, as every name does
            unsafe withUnsafeMutableBytes(of: &unix.sun_path) { unsafe $0.copyBytes(from: path) }
            return unsafe Self.withPointer(&unix, length: MemoryLayout<sa_family_t>.size + path.count, body)
        case .unnamed:
            // No socket has this family.
            var none = sockaddr()
            return unsafe Self.withPointer(&none, length: MemoryLayout<sa_family_t>.size, body)
        }
    }

    private static func withPointer<T, R>(
        _ value: inout T, length: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        // Every sockaddr_… begins with the fields of sockaddr; the kernel is told the true length.
        unsafe withUnsafePointer(to: &value) { pointer in
            unsafe body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), socklen_t(length))
        }
    }
}
