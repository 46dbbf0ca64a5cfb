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

/// Where figures were taken: without it they mean nothing.
struct Machine: Encodable {
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
