// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import Foundation

/// `openssl s_time`: one blocking connection after the other, without a parser, an event loop or a check of the name.
/// It reads to the end of the stream, and sends no close_notify. Like the others it may speak 1.2 and 1.3.
enum OpenSSLTime {
    static var path: String? { ChildProcess.path(of: "openssl") }

    /// - Parameters:
    ///   - address: host and port of a server that closes each connection after its response.
    ///   - seconds: rounded up to whole ones, which is how s_time counts; it may run for up to one more.
    static func measure(
        _ handshakes: Handshakes, at address: String, authority: String, seconds: Double
    ) throws -> Measurement {
        let time = Int(max(1, seconds.rounded(.up)))
        let begin = monotonic_nanoseconds()
        let run = try self.run(handshakes, at: address, authority, seconds: time)
        let end = monotonic_nanoseconds()
        // What it costs to come as far as the first connection: there is no listener.
        let idle = try self.run(handshakes, at: "127.0.0.1:\(FreePort.find())", authority, seconds: 1)
        let idleEnd = monotonic_nanoseconds()
        let lines = run.output.split(separator: "\n")
        guard let summary = lines.last(where: { $0.contains(" real seconds") })?.split(separator: " ").first,
            let connections = UInt64(summary)
        else { throw PeerUnavailable(reason: "s_time said: \(run.output.suffix(200))") }
        // One letter for each connection: r for a resumed one.
        let marks = lines.filter { $0.allSatisfy { "r*".contains($0) } }.joined()
        let right = marks.count { ($0 == "r") == (handshakes == .resumed) }
        return Measurement(
            requests: UInt64(right), errors: connections - min(connections, UInt64(right)),
            seconds: Double(end - begin) / 1e9 - Double(idleEnd - end) / 1e9,
            userMicroseconds: run.usage.userMicroseconds - idle.usage.userMicroseconds,
            systemMicroseconds: run.usage.systemMicroseconds - idle.usage.systemMicroseconds,
            residentBytes: nil, p50Microseconds: 0, p90Microseconds: 0, p99Microseconds: 0)
    }

    private static func run(
        _ handshakes: Handshakes, at address: String, _ authority: String, seconds: Int
    ) throws -> ChildProcess.Ended {
        guard let path else { throw PeerUnavailable(reason: "openssl is not installed") }
        let child = try ChildProcess(
            path,
            [
                "s_time", "-connect", address, "-CAfile", authority, "-no-CApath", "-no-CAstore", "-verify", "5",
                "-www", handshakes.path, handshakes == .resumed ? "-reuse" : "-new", "-time", "\(seconds)",
            ], mergesError: true)
        return try child.waitForEnd()
    }
}
