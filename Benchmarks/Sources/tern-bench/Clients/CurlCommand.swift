// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import Foundation

/// The command curl, several bodies to a process, measured from outside: its figures include its start.
enum CurlCommand {
    static var path: String? { ChildProcess.path(of: "curl") }

    /// About this number of bytes goes through one process.
    private static let bytesPerProcess = 500 << 20

    static func measure(_ load: Load) throws -> Measurement {
        guard let path else { throw PeerUnavailable(reason: "curl is not installed") }
        let size = max(load.bodySize, load.upload?.size ?? 0)
        let count = max(1, bytesPerProcess / size)
        let arguments = arguments(load, count)
        var sum = Measurement(
            requests: 0, errors: 0, seconds: 0, userMicroseconds: 0, systemMicroseconds: 0, residentBytes: nil,
            p50Microseconds: 0, p90Microseconds: 0, p99Microseconds: 0)
        let begin = monotonic_nanoseconds()
        repeat {
            try run(path, arguments, load, count, &sum)
            sum.seconds = Double(monotonic_nanoseconds() - begin) / 1e9
        } while sum.seconds < load.seconds && sum.errors == 0
        return sum
    }

    private static func arguments(_ load: Load, _ count: Int) -> [String] {
        var arguments = [
            "-q", "-sS", "--http1.1", "--noproxy", "*", "--cacert", load.authority, "-o", load.download ?? "/dev/null",
            "-w", "%{http_code} %{size_download}\\n",
        ]
        if load.decodesContent == true { arguments.append("--compressed") }
        if let upload = load.upload, let file = upload.path {
            arguments += ["-H", "Expect:"]
            arguments +=
                upload.isForm
                ? ["-F", "\(UploadForm.textName)=\(UploadForm.text)", "-F", "\(UploadForm.fileName)=@\(file)"]
                : ["-X", "POST", "-T", file]
        }
        // The same `count` times over.
        return arguments + ["\(load.url)?[1-\(count)]"]
    }

    private static func run(
        _ path: String, _ arguments: [String], _ load: Load, _ count: Int, _ sum: inout Measurement
    ) throws {
        let child = try ChildProcess(path, arguments)
        // Afterwards it cannot be measured.
        while let bytes = PeakMemory.bytes(of: "\(child.identifier)") {
            sum.residentBytes = max(bytes, sum.residentBytes ?? 0)
            usleep(5000)
        }
        let ended = try child.waitForEnd()
        // What it says of a coded body is the size before decoding.
        let expected = load.decodesContent == true ? "200 " : "200 \(load.bodySize)"
        let good = ended.output.split(separator: "\n").count { $0.hasPrefix(expected) }
        if !ended.succeeded || good != count { sum.errors += 1 }
        sum.requests += UInt64(good)
        sum.userMicroseconds += ended.usage.userMicroseconds
        sum.systemMicroseconds += ended.usage.systemMicroseconds
    }
}
