// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What `--json` writes.
protocol JSONReport: Encodable {}

extension JSONReport {
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }
}

/// How busy the processors were with something else, in shares of all of them, when the benchmark itself did nothing.
struct MachineLoad: Encodable {
    /// From this share on the figures say more about the machine than about the clients.
    private static let limit = 0.1

    let before: Double
    let after: Double

    var isHigh: Bool { max(before, after) > Self.limit }

    /// The share over the next second.
    static func share() -> Double {
        let start = times()
        Thread.sleep(forTimeInterval: 1)
        let end = times()
        let all = end.all - start.all
        return all > 0 ? (end.busy - start.busy) / all : 0
    }

    /// The clock ticks of all processors since the machine has started: proc(5), the first line of /proc/stat.
    private static func times() -> (busy: Double, all: Double) {
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        let figures = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        let all = figures.reduce(0, +)
        // The fourth is idle, the fifth waits for a disk.
        return (all - figures.dropFirst(3).prefix(2).reduce(0, +), all)
    }
}

/// Where figures were taken: without it they mean nothing.
struct Machine: Codable {
    let processor: String
    let processorCount: Int
    let kernel: String

    static var current: Machine {
        let cpus = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? "?"
        let model = cpus.split(separator: "\n").first { $0.hasPrefix("model name") }
        return Machine(
            processor: model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "?",
            processorCount: ProcessInfo.processInfo.activeProcessorCount,
            kernel: kernel.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
