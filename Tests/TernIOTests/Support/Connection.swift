// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import TernIO

/// A connected pair over the loopback: our socket, and the peer's end of it, which blocks.
final class Connection: Sendable {
    let socket: Socket
    let peer: Peer

    init() throws {
        let listener = try Listener()
        socket = try Socket.connecting(to: listener.address)
        peer = Peer(descriptor: try listener.accept())
    }
}

/// The other end of a connection.
struct Peer: ~Copyable, Sendable {
    let descriptor: Descriptor

    init(descriptor: consuming Descriptor) { self.descriptor = descriptor }

    func send(_ text: String) throws {
        let raw = descriptor.rawValue
        var text = text
        _ = try text.withUTF8 { bytes in
            try SystemCall.transfer(.send) {
                unsafe Glibc.send(raw, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Receives `count` bytes and forgets them.
    func discard(_ count: Int) throws {
        let raw = descriptor.rawValue
        var left = count
        try unsafe withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
            while left > 0 {
                let room = min(left, buffer.count)
                guard
                    case .bytes(let received) = try SystemCall.transfer(
                        .recv, { unsafe recv(raw, buffer.baseAddress, room, 0) })
                else { return }
                left -= received
            }
        }
    }

    /// Closes with a reset instead of an end of stream.
    consuming func reset() throws {
        let raw = descriptor.rawValue
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = try SystemCall.run(.setsockopt) {
            unsafe setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        }
    }
}

extension Socket {
    /// Receives once, at most `limit` bytes, as text; nil when there was nothing but a result to report.
    func receiveText(limit: Int = 4096) throws -> (result: IOResult, text: String) {
        try unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            let result = try unsafe receive(into: buffer)
            guard case .bytes(let count) = result else { return (result, "") }
            return unsafe (result, String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }

    func sendText(_ text: String) throws -> IOResult {
        var text = text
        return try text.withUTF8 { try unsafe send(UnsafeRawBufferPointer($0)) }
    }
}
