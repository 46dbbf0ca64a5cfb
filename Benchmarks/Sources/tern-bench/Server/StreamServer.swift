// SPDX-License-Identifier: Apache-2.0
// Safety: memory is lent to the kernel for the call, with its own size.

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
