// SPDX-License-Identifier: Apache-2.0

extension OriginStep {
    /// Sends the UTF-8 of the text. Lines of a head end with CRLF in the text itself.
    public static func send(_ text: String) -> Self { .send(Array(text.utf8)) }

    /// Sends a 200 with the text as its body, delimited by Content-Length.
    public static func ok(_ body: String = "") -> Self { respond(body: body) }

    /// Sends a whole response whose body is the UTF-8 of the text; see
    /// ``respond(status:reason:fields:body:)-(_,_,_,[UInt8])``.
    public static func respond(
        status: Int = 200, reason: String = "", fields: [(name: String, value: String)] = [], body: String = ""
    ) -> Self {
        respond(status: status, reason: reason, fields: fields, body: Array(body.utf8))
    }

    /// Sends a whole response. A Content-Length is added unless `fields` have framing of their own.
    ///
    /// - Parameters:
    ///   - status: the status code, sent unchanged.
    ///   - reason: the reason phrase.
    ///   - fields: names and values, sent unchanged.
    ///   - body: sent after the head unchanged, whatever the method and the status.
    public static func respond(
        status: Int = 200, reason: String = "", fields: [(name: String, value: String)] = [], body: [UInt8]
    ) -> Self {
        let framed = fields.contains { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        let all = framed ? fields : fields + [(name: "Content-Length", value: String(body.count))]
        return .send(head(status, reason, all) + body)
    }

    /// Sends a whole response: each element that is not empty as one chunk, then the last chunk and the trailers.
    public static func chunked(
        _ pieces: [String], status: Int = 200, reason: String = "", fields: [(name: String, value: String)] = [],
        trailers: [(name: String, value: String)] = []
    ) -> Self {
        var bytes = head(status, reason, fields + [(name: "Transfer-Encoding", value: "chunked")])
        for piece in pieces where !piece.isEmpty {
            bytes += "\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n".utf8
        }
        bytes += "0\r\n".utf8
        for trailer in trailers { bytes += "\(trailer.name): \(trailer.value)\r\n".utf8 }
        bytes += "\r\n".utf8
        return .send(bytes)
    }

    private static func head(_ status: Int, _ reason: String, _ fields: [(name: String, value: String)]) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8)
    }
}
