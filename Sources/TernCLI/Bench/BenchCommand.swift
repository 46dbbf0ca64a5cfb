// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernDemo
import TernEngine

/// `tern bench`: measures a server with this client, and the client's costs.
struct BenchCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand("url", help: "An http or https URL.") { $0.url = $1.text },
            .value("-c", "--connections", as: "number", help: "The number of concurrent requests, 64 by default.") {
                $0.connections = try $1.integer()
            },
            .value("-d", "--duration", as: "seconds", help: "The duration, 10 by default.") {
                $0.seconds = try $1.number()
            },
            .value("--threads", as: "number", help: "The number of reactor threads, 1 by default.") {
                $0.threads = try $1.integer()
            },
            .toggle("--json", help: "Print one JSON object.") { $0.isJSON = $1 },
            .group(\.trust))
    }

    static let name = "bench"
    static let abstract = "Send GET requests in a closed loop and measure throughput, latency and CPU."

    var url = ""
    var connections = 64
    var seconds = 10.0
    var threads = 1
    var isJSON = false
    var trust = TrustOptions()

    func validate() throws {
        guard (1...65_536).contains(connections) else { throw UsageError("-c: give 1 to 65536 connections") }
        guard seconds > 0, seconds <= 86_400 else { throw UsageError("-d: give seconds above 0 and up to 86400") }
        guard (1...256).contains(threads) else { throw UsageError("--threads: give 1 to 256") }
    }

    func run() async throws {
        let target = try RequestedURL(argument: url)
        try trust.check(target)
        let request = target.request
        var configuration = try trust.configuration()
        configuration.httpMaximumConnectionsPerHost = max(connections, threads)
        configuration.reactorCount = threads
        let session = Session(
            configuration: configuration, serverTrustPolicyManager: try trust.policies(forHost: request.host))
        let generator = LoadGenerator(
            request: request, connections: connections, duration: .seconds(seconds), session: session)
        let before = ProcessUsage.now
        let result = await generator.run()
        let report = BenchReport(
            url: url, connections: connections, threads: threads, result: result,
            cpuMicroseconds: ProcessUsage.now.cpuMicroseconds - before.cpuMicroseconds,
            peakMemory: ProcessUsage.now.peakMemory)
        try StandardStreams.print(isJSON ? try JSONReport.text(report) : report.text)
        if let error = result.firstError { StandardStreams.tell("tern: first error: \(error)") }
        if result.errors == result.requests { throw ExitCode(1) }
    }
}

/// The resources that this process has used so far, as counted by the kernel.
struct ProcessUsage {
    /// User and system time, in microseconds.
    let cpuMicroseconds: Int64
    /// The largest resident set, in bytes.
    let peakMemory: Int64

    static var now: ProcessUsage {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)  // cannot fail: both arguments are valid
        return ProcessUsage(
            cpuMicroseconds: microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            peakMemory: Int64(usage.ru_maxrss) * 1024)
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }
}
