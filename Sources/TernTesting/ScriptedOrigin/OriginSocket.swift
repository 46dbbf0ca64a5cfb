// SPDX-License-Identifier: Apache-2.0
// The only file of the origin that calls the kernel on a connection. Every call is non-blocking (MSG_DONTWAIT) and free
// of SIGPIPE (MSG_NOSIGNAL); waiting happens in `wait`, which the origin's latches end. Safety: buffers are passed to
// the kernel inside `withUnsafe…` with their own length, and are not kept.

internal import TernLibC

/// A connected socket, closed with the value. TCP options are skipped for a Unix domain socket.
struct OriginSocket: ~Copyable {
    enum Received { case bytes(Int), wouldBlock, end, reset }
    enum Sent { case bytes(Int), wouldBlock, reset }
    enum Wait { case readable, writable, peerClosed }
    enum Woken { case ready, latch, timeout }

    private let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Connects to a port of 127.0.0.1; nil if nothing listens there.
    init?(connectingTo port: UInt16) {
        self.init(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    func receive(into buffer: inout [UInt8]) -> Received {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .reset
            }
        }
    }

    func send(_ bytes: borrowing RawSpan) -> Sent {
        while true {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe TernLibC.send(
                    descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .reset
            }
        }
    }

    /// Waits for the socket, for one of the latches or for the deadline, whichever comes first; the latches win a tie.
    func wait(_ wait: Wait, until deadline: ContinuousClock.Instant? = nil, latches: [Latch]) -> Woken {
        var polled = [pollfd(fd: descriptor, events: Self.events([wait]), revents: 0)]
        polled += latches.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while true {
            let left = deadline.map { max(.zero, $0 - .now) }
            let ready = unsafe poll(&polled, nfds_t(polled.count), left?.pollTimeout ?? -1)
            if ready < 0 { continue }  // EINTR; the set itself is always valid
            if ready == 0 {
                guard let left, left < .milliseconds(1) else { continue }
                usleep(UInt32(left.components.attoseconds / 1_000_000_000_000))  // what `poll` cannot count
                return .timeout
            }
            return polled.dropFirst().contains { $0.revents != 0 } ? .latch : .ready
        }
    }

    /// Waits for what either of two sockets is asked for, or for the latch, which wins a tie. A socket that is asked for
    /// nothing is not looked at.
    func wait(_ waits: [Wait], or other: borrowing OriginSocket, _ others: [Wait], latch: Latch) -> Woken {
        var polled = [
            pollfd(fd: waits.isEmpty ? -1 : descriptor, events: Self.events(waits), revents: 0),
            pollfd(fd: others.isEmpty ? -1 : other.descriptor, events: Self.events(others), revents: 0),
            pollfd(fd: latch.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&polled, nfds_t(polled.count), -1) < 0 {}  // EINTR
        return polled[2].revents == 0 ? .ready : .latch
    }

    private static func events(_ waits: [Wait]) -> Int16 {
        waits.reduce(0) { events, wait in
            switch wait {
            case .readable: events | Int16(POLLIN)
            case .writable: events | Int16(POLLOUT)
            case .peerClosed: events | 0x2000  // POLLRDHUP, a GNU extension that Glibc's module leaves out
            }
        }
    }

    /// Sends FIN; receiving continues.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the next close send a RST.
    func armReset() {
        var linger = TernLibC.linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<TernLibC.linger>.size))
    }
}
