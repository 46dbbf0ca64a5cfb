// SPDX-License-Identifier: Apache-2.0
// Safety: socket addresses are passed to the kernel by pointers that live for the call, with their own size.

internal import TernLibC
internal import TernLock

/// A listening socket on this machine only.
final class OriginListener: Sendable {
    /// The caller owns the descriptor of an accepted connection.
    enum Accepted { case descriptor(Int32), failed, stopped }

    private let descriptor: Int32
    /// The path of the socket's file, once it exists.
    private let path = Lock<String?>(nil)

    init(_ configuration: OriginConfiguration) throws(ScriptedOriginError) {
        let family =
            switch configuration.address {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix, .abstract: AF_UNIX
            }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        set(SO_REUSEADDR, 1)
        // Set on the listener, because the window is negotiated before accept returns; connections inherit it.
        if let size = configuration.receiveBufferSize { set(SO_RCVBUF, size) }
        try bind(configuration)
        guard listen(descriptor, SOMAXCONN) == 0 else { throw .system(call: "listen", errno: errno) }
    }

    deinit {
        close(descriptor)
        if let path = path.withLock({ $0 }) { _ = unsafe unlink(path) }
    }

    /// 0 for a Unix domain socket.
    func port() throws(ScriptedOriginError) -> UInt16 {
        // The port is at the same offset in both families.
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        guard result == 0 else { throw .system(call: "getsockname", errno: errno) }
        return Int32(address.sin6_family) == AF_UNIX ? 0 : UInt16(bigEndian: address.sin6_port)
    }

    /// Waits for the next connection or for the latch.
    func accept(stop: Latch) -> Accepted {
        while true {
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            unsafe poll(&polled, nfds_t(polled.count), -1)
            if stop.isOpen { return .stopped }
            let accepted = TernLibC.accept(descriptor, nil, nil)
            if accepted >= 0 {
                // Glibc's module has no `accept4`.
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                return .descriptor(accepted)
            }
            switch errno {
            case EAGAIN, EINTR, ECONNABORTED: continue
            default: return .failed
            }
        }
    }

    private func bind(_ configuration: OriginConfiguration) throws(ScriptedOriginError) {
        let result: Int32
        switch configuration.address {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = configuration.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            result = unsafe bind(&address)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = configuration.port.bigEndian
            address.sin6_addr = in6addr_loopback
            result = unsafe bind(&address)
        case .unix(let path): result = bind(named: Array(path.utf8) + [0])
        case .abstract(let name): result = bind(named: [0] + Array(name.utf8))
        }
        guard result == 0 else { throw .system(call: "bind", errno: errno) }
        if case .unix(let path) = configuration.address { self.path.withLock { $0 = path } }
    }

    private func bind(named name: [UInt8]) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        return unsafe bind(&address, size: MemoryLayout<sa_family_t>.size + name.count)
    }

    private func bind<Address>(_ address: UnsafePointer<Address>, size: Int = MemoryLayout<Address>.size) -> Int32 {
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe TernLibC.bind(descriptor, $0, socklen_t(size))
        }
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
