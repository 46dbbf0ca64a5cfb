// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A non-blocking stream socket: TCP or Unix domain. Sending never raises SIGPIPE: a broken connection is an error like
/// any other.
public struct Socket: ~Copyable, Sendable {
    /// The open socket, closed when the value ends.
    public let descriptor: Descriptor

    private let isTCP: Bool
    /// Whether its probes are set, and not those that `detectDeadPeer` sets.
    private let isProbed: Bool

    init(descriptor: consuming Descriptor, isTCP: Bool = true, isProbed: Bool = false) {
        self.descriptor = descriptor
        self.isTCP = isTCP
        self.isProbed = isProbed
    }

    /// Opens a socket and starts to connect it. The attempt has ended when the socket becomes writable;
    /// `finishConnecting` returns its result.
    static func connecting(to address: TransportAddress) throws(SystemCallError) -> Socket {
        let connecting = try opened(for: address, isProbed: false)
        try connecting.connect(to: address)
        return connecting
    }

    /// The same with options, which hold unless `address` is in the Unix domain.
    static func connecting(
        to address: TransportAddress, options: SocketOptions
    ) throws(SocketFailure) -> Socket {
        let connecting = try SocketFailure.wrapping { () throws(SystemCallError) in
            try opened(for: address, isProbed: !options.hasUsualProbes)
        }
        if connecting.isTCP { try options.set(connecting.descriptor, family: address.family) }
        try SocketFailure.wrapping { () throws(SystemCallError) in try connecting.connect(to: address) }
        return connecting
    }

    private static func opened(for address: TransportAddress, isProbed: Bool) throws(SystemCallError) -> Socket {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Descriptor(owning: try SystemCall.run(.socket) { socket(address.family, type, 0) })
        let isTCP = address.family != AF_UNIX
        // Send small messages at once, as the Unix domain always does.
        if isTCP { try set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        return Socket(descriptor: descriptor, isTCP: isTCP, isProbed: isProbed)
    }

    private func connect(to address: TransportAddress) throws(SystemCallError) {
        do throws(SystemCallError) {
            _ = try SystemCall.run(.connect) {
                unsafe address.withKernelForm { unsafe TernLibC.connect(descriptor.rawValue, $0, $1) }
            }
        } catch {
            // EALREADY: the call was interrupted; the kernel continues to connect.
            guard error.code == EINPROGRESS || error.code == EALREADY else { throw error }
        }
    }

    /// Throws the error of the connection attempt if it failed. Returns the local address, as `localAddress` does.
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
        /// The connection is established, and this is the local address.
        case connected(from: TransportAddress?)
    }

    /// Whether the connection is established already: on one machine it is before connect(2) returns, whatever that
    /// call returns. Does not wait.
    func progress() throws(SystemCallError) -> Progress {
        guard let peer = try? peerAddress() else { return .inProgress }
        return .connected(from: try localAddress(refusing: peer))
    }

    /// If no server listens on a port of the ephemeral range, the kernel may pick that very port and connect the socket
    /// to itself (RFC 9293 §3.5, simultaneous open).
    private func localAddress(refusing peer: TransportAddress?) throws(SystemCallError) -> TransportAddress? {
        guard isTCP else { return nil }
        let local = try localAddress()
        if let peer, local == peer { throw SystemCallError(.connect, code: ECONNREFUSED) }
        return local
    }

    /// The local address as a system call returns it. Nil in the Unix domain, where clients have no name, and in
    /// unknown families.
    public func localAddress() throws(SystemCallError) -> TransportAddress? {
        try unsafe TransportAddress.asking(.getsockname) { unsafe getsockname(descriptor.rawValue, $0, $1) }
    }

    /// The peer's address, nil if it has no name; fails with `ENOTCONN` if the socket is not connected.
    func peerAddress() throws(SystemCallError) -> TransportAddress? {
        try unsafe TransportAddress.asking(.getpeername) { unsafe getpeername(descriptor.rawValue, $0, $1) }
    }

    /// Receives at most `buffer.count` available bytes; an empty buffer makes no system call.
    public func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> IOResult {
        // The kernel would return zero, which means the end of the stream.
        if buffer.count == 0 { return .wouldBlock }
        return try SystemCall.transfer(.recv) { unsafe recv(descriptor.rawValue, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends as much of `bytes` as the kernel takes; an empty span makes no system call.
    public func send(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult {
        try unsafe send(bytes, Int32(MSG_NOSIGNAL))
    }

    /// Sends the last bytes of a connection that is closed immediately afterwards: they wait for its FIN, to leave in
    /// one packet with it.
    public func sendLast(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> IOResult {
        try unsafe send(bytes, Int32(MSG_NOSIGNAL) | Int32(MSG_MORE))
    }

    private func send(_ bytes: UnsafeRawBufferPointer, _ flags: Int32) throws(SystemCallError) -> IOResult {
        if bytes.count == 0 { return .wouldBlock }
        return try SystemCall.transfer(.send) {
            unsafe TernLibC.send(descriptor.rawValue, bytes.baseAddress, bytes.count, flags)
        }
    }

    /// Whether a `receive` now would find bytes, an end of stream or an error.
    public var hasInput: Bool {
        // Not recv(2) with MSG_PEEK: that takes a pending error away, and a reset would then look like an end of
        // stream.
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) != 0
    }

    /// Lets the kernel detect a lost peer within about a minute: by keep-alive while both sides are idle, by
    /// `TCP_USER_TIMEOUT` while there is unsent data; each covers only its own case. Makes four system calls, so do not
    /// use it for a socket with a shorter timeout. Has no effect in the Unix domain, where the kernel reports it at
    /// once, and on a socket that was opened with other probes, or with none.
    public func detectDeadPeer() throws(SystemCallError) {
        guard isTCP, !isProbed else { return }
        do throws(SocketOptionError) { try SocketOptions().setProbes(descriptor) } catch { throw error.error }
    }

    /// Sets the number of bytes that must have arrived before the socket is reported as readable (`SO_RCVLOWAT`): 1 at
    /// first. The end of the stream, an error, and a receive buffer that is full are reported at once, and receiving
    /// returns whatever is there. Has no effect in the Unix domain, whose poll does not consult it.
    public func setReceiveLowWater(_ count: Int) throws(SystemCallError) {
        guard isTCP else { return }
        try Self.set(descriptor, SOL_SOCKET, SO_RCVLOWAT, Int32(clamping: count))
    }

    /// Sets an option whose value is a number.
    static func set(
        _ descriptor: borrowing Descriptor, _ level: Int32, _ option: Int32, _ value: Int32
    ) throws(SystemCallError) {
        var value = value
        _ = try SystemCall.run(.setsockopt) {
            unsafe setsockopt(descriptor.rawValue, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

extension Socket {
    /// Sends as much as the kernel takes of `count` bytes of a file, from `offset` on, without copying them through the
    /// process (sendfile(2)). Blocks if the page cache does not have the bytes, so send small chunks.
    ///
    /// `.endOfStream` is the file's end: `offset` is at or beyond it. It is returned on every further call. A count of
    /// zero makes no system call.
    public func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult {
        if count <= 0 { return .wouldBlock }
        let (target, source) = (descriptor.rawValue, file.descriptor.rawValue)
        // Unlike send(2), sendfile(2) has no MSG_NOSIGNAL.
        return try BlockedSignal.pipe.during { () throws(SystemCallError) in
            try SystemCall.transfer(.sendfile) {
                var offset = off_t(offset)
                return unsafe sendfile(target, source, &offset, count)
            }
        }
    }
}

extension Socket {
    /// Sends FIN after the bytes sent so far, and leaves the receiving half open.
    public func finish() throws(SystemCallError) {
        _ = try SystemCall.run(.shutdown) { shutdown(descriptor.rawValue, Int32(SHUT_WR)) }
    }
}

extension Socket {
    /// Makes the next close send a RST (`SO_LINGER` of zero seconds). Unsent bytes are dropped, and the peer learns at
    /// once that no more will come; a FIN, and the kernel memory of those bytes, would have to wait until the peer
    /// makes room.
    public func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        // An error is ignored: without the option the close is merely slow.
        _ = unsafe setsockopt(
            descriptor.rawValue, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
