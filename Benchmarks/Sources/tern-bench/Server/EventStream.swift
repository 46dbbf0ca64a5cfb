// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

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
