// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An IP address with a port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    enum Storage: Sendable, Hashable {
        /// Address in network byte order.
        case v4(UInt32)
        /// The 16 bytes as two words in memory order, and the scope of a link-local address.
        case v6(UInt64, UInt64, scope: UInt32)
    }

    let storage: Storage
    /// In the machine's byte order.
    public let port: UInt16

    init(storage: Storage, port: UInt16) {
        self.storage = storage
        self.port = port
    }

    /// Reads an IP literal: dotted IPv4, or IPv6 without brackets. Nil when it is neither.
    public init?(literal: String, port: UInt16) {
        // To C the text would end there: "127.0.0.1\0.example.com" is not 127.0.0.1.
        if literal.utf8.contains(0) { return nil }
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, literal, &v4) == 1 {
            self.init(storage: .v4(v4.s_addr), port: port)
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, literal, &v6) == 1 else { return nil }
        self.init(v6, scope: 0, port: port)
    }

    /// Reads what the kernel or the resolver wrote. Nil for families other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let v4 = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(storage: .v4(v4.sin_addr.s_addr), port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
            let v6 = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(v6.sin6_addr, scope: v6.sin6_scope_id, port: UInt16(bigEndian: v6.sin6_port))
        default:
            return nil
        }
    }

    /// Asks the kernel for an address with a call like getsockname(2).
    static func asking(
        _ name: SystemError.StaticName,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemError) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe try withUnsafeMutablePointer(to: &storage) { pointer throws(SystemError) in
            // sockaddr_storage begins with the fields of sockaddr and has room for every family.
            let address = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
            _ = try SystemCall.run(name) { unsafe call(address, &length) }
            return unsafe SocketAddress(address)
        }
    }

    private init(_ address: in6_addr, scope: UInt32, port: UInt16) {
        let words = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(storage: .v6(words.0, words.1, scope: scope), port: port)
    }

    var isIPv6: Bool {
        switch storage {
        case .v4: false
        case .v6: true
        }
    }

    var family: Int32 { isIPv6 ? AF_INET6 : AF_INET }

    /// Lends the address in the kernel's form.
    func withKernelForm<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        switch storage {
        case .v4(let address):
            var v4 = sockaddr_in()
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            v4.sin_addr = in_addr(s_addr: address)
            return unsafe Self.lend(&v4, body)
        case .v6(let high, let low, let scope):
            var v6 = sockaddr_in6()
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            v6.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &v6.sin6_addr) { bytes in
                unsafe bytes.storeBytes(of: high, as: UInt64.self)
                unsafe bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
            }
            return unsafe Self.lend(&v6, body)
        }
    }

    private static func lend<T, R>(_ value: inout T, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        // Every sockaddr_… begins with the fields of sockaddr; the kernel is told the true length.
        unsafe withUnsafePointer(to: &value) { pointer in
            unsafe body(
                UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<T>.size))
        }
    }

    /// "127.0.0.1:80" or "[::1]:443".
    public var description: String {
        isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The address alone, without brackets.
    public var host: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let text =
                switch storage {
                case .v4(var address):
                    unsafe inet_ntop(AF_INET, &address, buffer.baseAddress, socklen_t(buffer.count))
                case .v6(let high, let low, _):
                    unsafe withUnsafeBytes(of: (high, low)) { bytes in
                        unsafe inet_ntop(AF_INET6, bytes.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
                    }
                }
            guard let text = unsafe text else { return "?" }  // cannot be: the family is known and the buffer fits
            return unsafe String(cString: text)
        }
    }
}
