// SPDX-License-Identifier: Apache-2.0
// Safety: memory is lent to the kernel for the call, with its own size.

internal import CCurlMulti
internal import Foundation
internal import Glibc

/// Responses that nginx does not send: bodies in small chunks, and events with the time of sending. On a free loopback
/// port of this process, which has no other work while a client runs.
final class StreamServer: Sendable {
    private let port: UInt16

    init() throws {
        let (listener, port) = try FreePort.listen()
        self.port = port
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    Self.serve(connection)
                    close(connection)
                }
            }
        }
    }

    func url(at path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// One request after another, until the client has had enough.
    private static func serve(_ connection: Int32) {
        while let head = readHead(connection) {
            let isDone =
                head.hasPrefix("GET \(EventStream.path) ")
                ? sendEvents(connection) : send(ChunkedBody.response, to: connection)
            if !isDone { return }
        }
    }

    /// No client sends a second request before the first one is answered.
    private static func readHead(_ connection: Int32) -> String? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { room, count in
                count = unsafe max(0, recv(connection, room.baseAddress, room.count, 0))
            }
            if piece.isEmpty { return nil }
            head += piece
        }
        return String(decoding: head, as: UTF8.self)
    }

    private static func sendEvents(_ connection: Int32) -> Bool {
        guard send(Array(EventStream.head.utf8), to: connection) else { return false }
        for _ in 0..<EventStream.count {
            usleep(EventStream.pauseMicroseconds)
            guard send(Array(EventStream.next.utf8), to: connection) else { return false }
        }
        return send(Array(EventStream.end.utf8), to: connection)
    }

    /// Whether all of it was taken.
    private static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// A stream of server-sent events, each of which says when it was sent (of `monotonic_nanoseconds`).
enum EventStream {
    static let path = "/events"
    /// How many there are in a stream.
    static let count = 100
    /// So long after one the next one is sent: everybody has had that and waits.
    static let pauseMicroseconds: UInt32 = 2000

    static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    static let end = "0\r\n\r\n"

    /// One event in a chunk of its own, from now.
    static var next: String {
        let text = "data: \(monotonic_nanoseconds())\n\n"
        return "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }
}

/// A response in many small chunks (RFC 9112 §7.1).
enum ChunkedBody {
    static let count = 100_000
    /// In bytes.
    static let chunkSize = 64
    static let size = count * chunkSize

    /// From the first byte of its head to its last chunk.
    static let response: [UInt8] = {
        let chunk = Array((String(chunkSize, radix: 16) + "\r\n").utf8) + [UInt8](repeating: 0x54, count: chunkSize)
        var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        bytes.reserveCapacity(bytes.count + (chunk.count + 2) * count + 5)
        for _ in 0..<count { bytes += chunk + [0x0D, 0x0A] }
        return bytes + Array("0\r\n\r\n".utf8)
    }()
}
