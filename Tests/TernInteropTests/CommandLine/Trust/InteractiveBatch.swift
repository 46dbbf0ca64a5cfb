// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A `tern trust evaluate --batch -` that is given some cases at a time, and asked for their verdicts before the next.
final class InteractiveBatch {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init() throws {
        process.executableURL = try TernTool.executable
        process.arguments = ["trust", "evaluate", "--batch", "-"]
        process.environment = TernTool.environment
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Sends cases, and returns how many verdicts came back.
    func answer(_ lines: [String]) async throws -> Int {
        try input.fileHandleForWriting.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        var count = 0
        while count < lines.count {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            count += data.count { $0 == UInt8(ascii: "\n") }
        }
        return count
    }

    /// The most memory the process has had so far.
    func peakKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// Closes the input, and returns the exit status.
    func end() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
