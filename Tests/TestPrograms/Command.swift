// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A program run to its end.
public enum Command {
    public struct Result: Sendable {
        public let status: Int32
        public let bytes: Data
        public let errors: String

        public var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Runs the program, looked for in PATH, with its arguments and no input.
    ///
    /// - Parameter environment: all of it; nil for this process's own.
    public static func run(_ command: [String], environment: [String: String]? = nil) async throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        async let outputBytes = readAll(output)
        async let errorBytes = readAll(errors)
        let (bytes, message) = (try await outputBytes, String(decoding: try await errorBytes, as: UTF8.self))
        // It has closed its outputs, so this is over at once. A terminationHandler would keep the process in memory for
        // ever.
        process.waitUntilExit()
        return Result(status: process.terminationStatus, bytes: bytes, errors: message)
    }

    @concurrent private static func readAll(_ pipe: Pipe) async throws -> Data {
        try pipe.fileHandleForReading.readToEnd() ?? Data()
    }
}
