// SPDX-License-Identifier: Apache-2.0
// Safety: buffers go to the kernel inside `withUnsafe…`, with their own length.

import Glibc

/// A client that does exactly what a test says, over a blocking socket; gives up on an unresponsive peer after ten
/// seconds.
final class RawClient: Sendable {
    enum End { case fin, reset, silence }

    struct Unconnected: Error { let errno: Int32 }

    private let descriptor: Int32

    init(port: UInt16) throws(Unconnected) {
        descriptor = Self.socket(AF_INET)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try connect(to: &address, size: MemoryLayout<sockaddr_in>.size)
    }

    /// Of a Unix domain socket, whose name in the abstract space begins with a NUL.
    init(unix name: [UInt8]) throws(Unconnected) {
        descriptor = Self.socket(AF_UNIX)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        try connect(to: &address, size: MemoryLayout<sa_family_t>.size + name.count)
    }

    private static func socket(_ family: Int32) -> Int32 {
        let descriptor = Glibc.socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    private func connect<Address>(to address: inout Address, size: Int) throws(Unconnected) {
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(size))
            }
        }
        guard result == 0 else { throw Unconnected(errno: errno) }
    }

    deinit { close(descriptor) }

    /// False when the peer has gone.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads until the text ends so, or no more comes.
    func receive(until suffix: String) -> String {
        var text = ""
        while !text.hasSuffix(suffix), let piece = receivePiece().text { text += piece }
        return text
    }

    /// Reads this number of bytes, or fewer if no more come.
    func receive(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = unsafe bytes.withUnsafeMutableBytes {
            unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_WAITALL))
        }
        return Array(bytes.prefix(max(0, received)))
    }

    /// Reads until the peer ends the connection.
    func receiveAll() -> (text: String, end: End) {
        var text = ""
        while true {
            let piece = receivePiece()
            guard let more = piece.text else { return (text, piece.end) }
            text += more
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the coming close a RST.
    func armReset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    private func receivePiece() -> (text: String?, end: End) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return (String(decoding: buffer[..<count], as: UTF8.self), .fin) }
        if count == 0 { return (nil, .fin) }
        return (nil, errno == ECONNRESET ? .reset : .silence)
    }
}
