// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting

/// An origin that answers with what it saw: method, target, header fields in alphabetical order, body. What differs
/// between clients by its nature, the User-Agent and a form's boundary, is left out.
enum EchoOrigin {
    /// `/redirect` leads to `/final`, `/status/404` has that status; everything else is a success.
    static func start(
        _ configuration: ScriptedOrigin.Configuration = ScriptedOrigin.Configuration()
    ) throws -> ScriptedOrigin {
        try ScriptedOrigin(configuration) { _, request in
            if request.target.hasSuffix("/same") {
                return [.respond(status: 301, reason: "Found", fields: [("Location", request.target)])]
            }
            if request.target == "/lost" {
                return [.send(Array("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".utf8)), .close]
            }
            if request.target.hasPrefix("/redirect") {
                return [.respond(status: 302, reason: "Found", fields: [("Location", "/final")])]
            }
            if request.target.hasPrefix("/status/"), let status = Int(request.target.dropFirst(8)) {
                return [.respond(status: status, reason: "As Asked", fields: [("X-Kind", "status")], body: "no")]
            }
            if request.method == "HEAD" { return [.respond(fields: [("Content-Length", "7")])] }
            return [.respond(fields: [("Content-Type", "text/plain")], body: report(request))]
        }
    }

    private static func report(_ request: ReceivedRequest) -> String {
        let (fields, body) = withoutBoundary(request)
        let lines = fields.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        return (["\(request.method) \(request.target)"] + lines.filter { !$0.hasPrefix("user-agent:") })
            .joined(separator: "\n") + "\n\n" + String(decoding: body, as: UTF8.self)
    }

    /// As if a form's boundary had no length.
    private static func withoutBoundary(_ request: ReceivedRequest) -> ([ReceivedRequest.Field], [UInt8]) {
        guard let type = request.value(of: "Content-Type"), let start = type.firstRange(of: "boundary=") else {
            return (request.fields, request.body)
        }
        let body = request.body.split(
            separator: Array(type[start.upperBound...].utf8), omittingEmptySubsequences: false)
        let shorter = Array(body.joined())
        let fields = request.fields.map { field in
            let value =
                switch field.name.lowercased() {
                case "content-type": String(type[..<start.lowerBound])
                case "content-length": "\((Int(field.value) ?? 0) - request.body.count + shorter.count)"
                default: field.value
                }
            return ReceivedRequest.Field(name: field.name, value: value)
        }
        return (fields, shorter)
    }
}

/// How often an origin was asked.
final class AttemptCount: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func reset() { count.withLock { $0 = 0 } }
}
