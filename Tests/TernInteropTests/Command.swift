// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program run to its end.
enum Command {
    struct Result {
        let status: Int32
        let output: String
    }

    /// Runs the program, looked for in PATH, with its arguments and no input; its standard error goes nowhere.
    static func run(_ command: [String]) async throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        for await status in ends { return Result(status: status, output: String(decoding: bytes, as: UTF8.self)) }
        return Result(status: -1, output: "")
    }
}
