// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

/// wrk, the load generator: C, epoll, one thread; it reads no more of a response than it must, and verifies no
/// certificate.
///
/// It is measured from outside, so that its figures include its start and, over TLS, its handshakes.
enum WrkClient {
    static var path: String? { ChildProcess.path(of: "wrk") }

    /// Prints what the table needs at the end of the run. Latencies are in microseconds.
    static let script = """
        done = function(summary, latency, requests)
            local errors = summary.errors.connect + summary.errors.read + summary.errors.write
                + summary.errors.status + summary.errors.timeout
            io.write(string.format('{"requests":%d,"errors":%d,"microseconds":%d,"p50":%f,"p90":%f,"p99":%f}\\n',
                summary.requests, errors, summary.duration,
                latency:percentile(50), latency:percentile(90), latency:percentile(99)))
        end
        """

    private struct Summary: Decodable {
        var requests: UInt64
        var errors: UInt64
        var microseconds: Double
        var p50: Double
        var p90: Double
        var p99: Double
    }

    /// - Parameter scriptPath: Where `script` was written to.
    static func measure(_ load: Load, scriptPath: String) throws -> Measurement {
        guard let path else { throw PeerUnavailable(reason: "wrk is not installed") }
        // wrk counts in whole seconds.
        let seconds = Int(max(1, load.seconds.rounded()))
        let arguments = [
            "-t1", "-c\(load.connections)", "-d\(seconds)s", "--timeout", "60s", "-s", scriptPath, load.url,
        ]
        let child = try ChildProcess(path, arguments)
        // Near its end, because afterwards it cannot be measured.
        usleep(UInt32(seconds * 1_000_000 - 100_000))
        let residentBytes = PeakMemory.bytes(of: "\(child.identifier)")
        let ended = try child.waitForEnd()
        guard let line = ended.output.split(separator: "\n").last(where: { $0.hasPrefix("{") }),
            let summary = try? JSONDecoder().decode(Summary.self, from: Data(line.utf8))
        else { throw PeerUnavailable(reason: "wrk said: \(ended.output)") }
        return Measurement(
            requests: summary.requests, errors: summary.errors, seconds: summary.microseconds / 1e6,
            userMicroseconds: ended.usage.userMicroseconds, systemMicroseconds: ended.usage.systemMicroseconds,
            residentBytes: residentBytes,
            p50Microseconds: summary.p50, p90Microseconds: summary.p90, p99Microseconds: summary.p99)
    }
}
