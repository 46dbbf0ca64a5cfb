// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

/// A `tern trust evaluate --batch -` that is given some cases at a time, and asked for their verdicts before the next.
final class InteractiveBatch {
    private let program: TestProgram
    private let verdicts = LineLog()
    private var asked = 0

    init() throws {
        program = try TestProgram(
            [TernTool.executable.path, "trust", "evaluate", "--batch", "-"], environment: TernTool.environment,
            input: .pipe, output: verdicts.append, errors: { _ in })
    }

    deinit { program.kill() }

    /// Sends cases, and returns whether as many verdicts came back.
    func answer(_ lines: [String]) async throws -> Bool {
        asked += lines.count
        let count = asked
        try await program.write(Data((lines.joined(separator: "\n") + "\n").utf8))
        return await verdicts.waitFor { $0.count >= count } && verdicts.lines.count == count
    }

    /// The most memory the process has had so far.
    func peakKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// Closes the input, and returns how the process ended.
    func end() async -> TestProgram.Ending {
        program.closeInput()
        return await program.ending()
    }
}
