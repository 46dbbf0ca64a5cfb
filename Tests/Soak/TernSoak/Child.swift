// SPDX-License-Identifier: Apache-2.0
import Foundation

/// This program in another process, with one part of the soak to do: whatever goes wrong there stays there, and is
/// known here.
enum Child {
    enum Ending: Sendable {
        case reported
        /// Of the signal or status.
        case died(String)
    }

    /// Runs a part to its end and returns what it said last.
    static func run<Order: Encodable, Report: Decodable>(
        _ part: String, _ order: Order, _: Report.Type, within seconds: Double
    ) throws -> (Report?, Ending) {
        let process = Process()
        process.executableURL = HelpingProcess.executable
        process.arguments = [part, String(decoding: try JSONEncoder().encode(order), as: UTF8.self)]
        // Fewer of malloc's arenas, so that the remaining memory is in use rather than fragmented.
        process.environment = ProcessInfo.processInfo.environment.merging(["MALLOC_ARENA_MAX": "2"]) { given, _ in given
        }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let guardian = Guardian(process.processIdentifier, seconds)
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let isLate = guardian.dismiss()
        let report = try? JSONDecoder().decode(Report.self, from: bytes)
        if isLate { return (report, .died("it did not end within \(Int(seconds)) s")) }
        if process.terminationReason == .uncaughtSignal {
            return (report, .died("signal \(process.terminationStatus)"))
        }
        return (report, process.terminationStatus == 0 ? .reported : .died("status \(process.terminationStatus)"))
    }

    static func tell(_ report: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: try JSONEncoder().encode(report) + Data("\n".utf8))
    }
}
