// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting

@testable import TernEngine

/// An origin that serves one resource, whole or from some byte on, by RFC 9110 or as configured.
final class FileOrigin: Sendable {
    /// How it serves.
    struct Manners: Sendable {
        var content: [UInt8]
        var validator = "ETag: \"one\"\r\n"
        /// Closes the connection after this number of bytes of a body.
        var breaksOffAfter: Int?
        var isChunked = false
        /// Says this instead, if it answers.
        var instead: (@Sendable (ReceivedRequest) -> [ScriptedOrigin.Step]?)?
    }

    let origin: ScriptedOrigin
    private let manners: Shared

    init(_ content: [UInt8], tls identity: Identity? = nil, _ change: (inout Manners) -> Void = { _ in }) throws {
        var first = Manners(content: content)
        change(&first)
        let manners = Shared(first)
        self.manners = manners
        origin = try ScriptedOrigin(tls: identity) { _, request in
            let manners = manners.value.withLock { $0 }
            return manners.instead?(request) ?? Self.answer(request, manners)
        }
    }

    private final class Shared: Sendable {
        let value: Lock<Manners>
        init(_ value: Manners) { self.value = Lock(value) }
    }

    func change(_ change: @Sendable (inout Manners) -> Void) { manners.value.withLock { change(&$0) } }

    func request(_ path: String = "/file") throws -> URLRequest { try URLRequest(origin, path) }

    /// The ranges that were asked for; "" for none.
    var ranges: [String] { origin.requests.map { $0.value(of: "Range") ?? "" } }

    /// The resource from some byte on, whatever was asked under which condition.
    static func part(_ manners: Manners, from start: Int) -> [ScriptedOrigin.Step] {
        let (body, total) = (Array(manners.content[start...]), manners.content.count)
        let head =
            start == 0
            ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 P\r\nContent-Range: bytes \(start)-\(total - 1)/\(total)\r\n"
        return [.send(Array("\(head)\(manners.validator)Content-Length: \(body.count)\r\n\r\n".utf8) + body)]
    }

    private static func answer(_ request: ReceivedRequest, _ manners: Manners) -> [ScriptedOrigin.Step] {
        let content = manners.content
        let isUnchanged = request.value(of: "If-Range").map { manners.validator.contains($0) } ?? true
        var (start, status, range) = (0, "200 OK", "")
        if let asked = request.value(of: "Range"), isUnchanged, let first = Int(asked.dropFirst(6).dropLast()) {
            guard first < content.count else {
                return [
                    .send("HTTP/1.1 416 No\r\nContent-Range: bytes */\(content.count)\r\nContent-Length: 0\r\n\r\n")
                ]
            }
            start = first
            status = "206 Partial Content"
            range = "Content-Range: bytes \(first)-\(content.count - 1)/\(content.count)\r\n"
        }
        var head = "HTTP/1.1 \(status)\r\n\(manners.validator)\(range)"
        var body = Array(content[start...])
        if manners.isChunked {
            head += "Transfer-Encoding: chunked\r\n"
            body = Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        } else {
            head += "Content-Length: \(body.count)\r\n"
        }
        guard let limit = manners.breaksOffAfter, limit < body.count else {
            return [.send(Array((head + "\r\n").utf8) + body)]
        }
        return [.send(Array((head + "\r\n").utf8) + body.prefix(limit)), .close]
    }
}
