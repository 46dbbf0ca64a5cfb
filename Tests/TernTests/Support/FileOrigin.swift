// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting

/// Serves one file that can be resumed. Its first response stops halfway, for as long as the test wants.
struct FileOrigin {
    /// The content of the file: no two ranges of it are alike.
    static let content = (0..<200_000).flatMap {
        [UInt8(truncatingIfNeeded: $0 >> 16), UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
    }
    static let half = content.count / 2

    let origin: ScriptedOrigin

    /// - Parameter after: what comes after the first half of the first response.
    init(after: ScriptedOrigin.Step = .hold) throws {
        origin = try ScriptedOrigin { connection, request in
            let fields: [(name: String, value: String)] = [("ETag", "\"one\""), ("Accept-Ranges", "bytes")]
            guard let range = request.value(of: "Range"), request.value(of: "If-Range") == "\"one\"",
                let first = Int(range.dropFirst("bytes=".count).prefix { $0.isNumber })
            else {
                let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
                return [
                    .send("HTTP/1.1 200 OK\r\n\(lines)Content-Length: \(Self.content.count)\r\n\r\n"),
                    .send(Array(Self.content[..<Self.half])), after, .send(Array(Self.content[Self.half...])),
                ]
            }
            let last = Self.content.count - 1
            let part: (String, String) = ("Content-Range", "bytes \(first)-\(last)/\(Self.content.count)")
            return [.respond(status: 206, fields: fields + [part], body: Array(Self.content[first...]))]
        }
    }
}

extension DownloadRequest {
    /// Removes what has arrived, where it is not resumed.
    func discard() {
        let notes = resumeData.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        if let path = notes?["partialFile"] as? String { try? FileManager.default.removeItem(atPath: path) }
        if let file = delegate.temporaryURL { try? FileManager.default.removeItem(at: file) }
    }
}

extension Request {
    /// Waits until this much of the response has arrived. False if it does not.
    func hasReceived(_ count: Int) async -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while task?.countOfBytesReceived ?? 0 < count, ContinuousClock.now < end { await Task.yield() }
        return task?.countOfBytesReceived ?? 0 >= count
    }
}
