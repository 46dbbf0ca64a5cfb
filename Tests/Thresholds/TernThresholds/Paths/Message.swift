// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The protocol alone, without I/O: a request encoded, and the eight fields that nginx sends with a file decoded.
enum Message {
    private static let response = Array(
        """
        HTTP/1.1 200 OK\r
        Server: nginx/1.22.1\r
        Date: Thu, 20 Nov 2025 10:00:00 GMT\r
        Content-Type: text/html\r
        Content-Length: 0\r
        Last-Modified: Thu, 20 Nov 2025 09:00:00 GMT\r
        Connection: keep-alive\r
        ETag: "673dbc00-267"\r
        Accept-Ranges: bytes\r
        \r

        """.utf8)

    static func exchange(_ count: Int) throws {
        var exchange = Exchange()
        var request: [UInt8] = []
        let head = RequestHead(
            method: "GET", target: .origin("/"), origin: HTTPOrigin(scheme: .http, host: "localhost", port: 80),
            fields: [:]
        )
        let defaults: DefaultFields = [:]
        for _ in 0..<count {
            request.removeAll(keepingCapacity: true)
            try exchange.begin(head, body: .none, defaults: defaults, into: &request)
            try receive(response.span, &exchange)
        }
    }

    private static func receive(_ bytes: Span<UInt8>, _ exchange: inout Exchange) throws {
        var offset = 0
        guard case .head(let head) = try exchange.receive(bytes, from: &offset), head.count == 8,
            case .end = try exchange.receive(bytes, from: &offset), exchange.isReusable
        else { throw Failure("nginx's head was not decoded whole") }
    }
}
