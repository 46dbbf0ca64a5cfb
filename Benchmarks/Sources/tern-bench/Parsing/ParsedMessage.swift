// SPDX-License-Identifier: Apache-2.0

/// A response to be parsed, whole in one buffer.
struct ParsedMessage {
    let name: String
    let title: String
    let bytes: [UInt8]

    static let all = [nginx, forty, chunked(16), chunked(1024), chunked(16 * 1024)]

    /// The eight fields that nginx sends with a file.
    private static let nginx = ParsedMessage(
        name: "nginx", title: "head, nginx's 8 fields",
        bytes: head([
            ("Server", "nginx/1.22.1"), ("Date", "Thu, 20 Nov 2025 10:00:00 GMT"), ("Content-Type", "text/html"),
            ("Content-Length", "0"), ("Last-Modified", "Thu, 20 Nov 2025 09:00:00 GMT"), ("Connection", "keep-alive"),
            ("ETag", "\"673dbc00-267\""), ("Accept-Ranges", "bytes"),
        ]))

    private static let forty = ParsedMessage(
        name: "forty", title: "head, 40 fields",
        bytes: head(
            [("Content-Length", "0")]
                + (1..<40).map { ("X-Header-Name-\($0)", "some value number \($0) of a usual length") }))

    /// A hundred chunks of `size` bytes behind the shortest head.
    private static func chunked(_ size: Int) -> ParsedMessage {
        let line = Array((String(size, radix: 16) + "\r\n").utf8)
        let chunk = line + [UInt8](repeating: UInt8(ascii: "x"), count: size) + Array("\r\n".utf8)
        return ParsedMessage(
            name: "chunks-\(size)",
            title: size < 1024 ? "100 chunks of \(size) B" : "100 chunks of \(size / 1024) KB",
            bytes: head([("Transfer-Encoding", "chunked")]) + Array(repeatElement(chunk, count: 100).joined())
                + Array("0\r\n\r\n".utf8))
    }

    private static func head(_ fields: [(String, String)]) -> [UInt8] {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        return Array("HTTP/1.1 200 OK\r\n\(lines)\r\n".utf8)
    }
}
