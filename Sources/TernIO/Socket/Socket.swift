// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// A non-blocking stream socket: TCP, or of the Unix domain. Sending never raises SIGPIPE: a broken connection is an
/// error like any other.
public struct Socket: ~Copyable, Sendable {
    /// The open socket, closed when the value ends.
    public let descriptor: Descriptor

    private let isTCP: Bool

    init(descriptor: consuming Descriptor, isTCP: Bool = true) {
        self.descriptor = descriptor
        self.isTCP = isTCP
    }

    /// Opens a socket and starts to connect it. The connection stands, or has failed, when the socket turns writable;
    /// `finishConnecting` tells which.
    ///
    /// - Parameter local: the address of this end; the kernel chooses its port if that is 0, and all of it if it is
    ///   nil. An address of another family than `address` is an error of bind(2).
    static func connecting(
        to address: TransportAddress, from local: TransportAddress? = nil
    ) throws(SystemCallError) -> Socket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Descriptor(owning: try SystemCall.run(.socket) { socket(address.family, type, 0) })
        let connecting = Socket(descriptor: descriptor, isTCP: address.family != AF_UNIX)
        // Small messages leave at once, as they always do in the Unix domain.
        if connecting.isTCP { try connecting.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        if let local { try connecting.bind(to: local) }
        do throws(SystemCallError) {
            _ = try SystemCall.run(.connect) {
                unsafe address.withKernelForm { unsafe connect(connecting.descriptor.rawValue, $0, $1) }
            }
        } catch {
            // EALREADY: interrupted once, the kernel goes on by itself.
            guard error.code == EINPROGRESS || error.code == EALREADY else { throw error }
        }
        return connecting
    }

    private func bind(to local: TransportAddress) throws(SystemCallError) {
        // The kernel then chooses the port in connect(2), so that one port serves several destinations.
        if local.port == 0 { try set(Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1) }
        _ = try SystemCall.run(.bind) {
            unsafe local.withKernelForm { unsafe Glibc.bind(descriptor.rawValue, $0, $1) }
        }
    }

    /// Throws what became of the connection attempt if it failed. Returns the address of our end, as `localAddress`
    /// does.
    @discardableResult
    func finishConnecting() throws(SystemCallError) -> TransportAddress? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        _ = try SystemCall.run(.getsockopt) {
            unsafe getsockopt(descriptor.rawValue, SOL_SOCKET, SO_ERROR, &code, &length)
        }
        if code != 0 { throw SystemCallError(.connect, code: code) }
        return try localAddress(refusing: peerAddress())
    }

    enum Progress: Equatable {
        case inProgress
        /// The connection stands, and this is the address of our end.
        case connected(from: TransportAddress?)
    }

    /// Whether the connection stands already: on one machine it does before connect(2) returns, whatever that says.
    /// Nothing is waited for then.
    func progress() throws(SystemCallError) -> Progress {
        guard let peer = try? peerAddress() else { return .inProgress }
        return .connected(from: try localAddress(refusing: peer))
    }

    /// Where no server listens on a port of the range that connections start from, the kernel may pick that very port
    /// and connect the socket to itself (RFC 9293 §3.5, simultaneous open).
    private func localAddress(refusing peer: TransportAddress?) throws(SystemCallError) -> TransportAddress? {
        guard isTCP else { return nil }
        let local = try localAddress()
        if let peer, local == peer { throw SystemCallError(.connect, code: ECONNREFUSED) }
        return local
    }

    /// The address of our end, for a system call. Nil in the Unix domain, where clients have no name, and in unknown
    /// families.
    public func localAddress() throws(SystemCallError) -> TransportAddress? {
        try unsafe TransportAddress.asking(.getsockname) { unsafe getsockname(descriptor.rawValue, $0, $1) }
    }

    /// The address of the other end, nil if that has no name; fails with `ENOTCONN` when there is no other end.
    func peerAddress() throws(SystemCallError) -> TransportAddress? {
        try unsafe TransportAddress.asking(.getpeername) { unsafe getpeername(descriptor.rawValue, $0, $1) }
    }

    /// Receives what is there, at most `buffer.count` bytes; room for none is no call.
    public func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> IOResult {
        // The kernel would return zero, which means the end of the stream.
        if buffer.count == 0 { return .wouldBlock }
        return try SystemCall.transfer(.recv) { unsafe recv(descriptor.rawValue, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as much of `bytes` as the kernel takes; zero bytes are no call.
    public func send(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult {
        try unsafe send(bytes, Int32(MSG_NOSIGNAL))
    }

    /// Sends the last bytes of a connection that is closed straight afterwards: they wait for its FIN, to leave in one
    /// packet with it.
    public func sendLast(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult {
        try unsafe send(bytes, Int32(MSG_NOSIGNAL) | Int32(MSG_MORE))
    }

    private func send(_ bytes: UnsafeRawBufferPointer, _ flags: Int32) throws(SystemCallError) -> IOResult {
        if bytes.count == 0 { return .wouldBlock }
        return try SystemCall.transfer(.send) {
            unsafe Glibc.send(descriptor.rawValue, bytes.baseAddress, bytes.count, flags)
        }
    }

    /// Whether a `receive` now would find bytes, an end of stream or an error.
    public var hasInput: Bool {
        // Not recv(2) with MSG_PEEK: that takes a pending error away, and a reset would then look like an end of
        // stream.
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) != 0
    }

    /// Lets the kernel notice a peer that is gone, within a minute or so: while both are silent by keep-alive, while
    /// there is unsent data by `TCP_USER_TIMEOUT`; each covers only its own case. Four system calls, so not for a
    /// socket that is watched with a shorter limit. None in the Unix domain: there the kernel tells at once.
    public func detectDeadPeer() throws(SystemCallError) {
        guard isTCP else { return }
        try set(SOL_SOCKET, SO_KEEPALIVE, 1)
        try set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 45)
        try set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        try set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 60_000)
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) throws(SystemCallError) {
        var value = value
        _ = try SystemCall.run(.setsockopt) {
            unsafe setsockopt(descriptor.rawValue, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
