// SPDX-License-Identifier: Apache-2.0

public import Foundation
import TernLock

/// A program run to its end.
public enum Command {
    public struct Result: Sendable {
        /// The exit status, or the number of the signal that ended it.
        public let status: Int32
        public let bytes: Data
        public let errors: String

        public var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// A program that was killed because it had not ended in time, and what it had written by then.
    public struct TimeLimitExceeded: Error, CustomStringConvertible {
        public let command: [String]
        public let limit: Duration
        public let output: String
        public let errors: String

        public var description: String {
            """
            did not end within \(limit): \(command.joined(separator: " "))
            standard output: \(output)
            standard error: \(errors)
            """
        }
    }

    /// Runs the program, looked for in PATH, with its arguments and no input. It is killed, with all that it has
    /// started, when the limit passes or the test is cancelled.
    ///
    /// - Parameters:
    ///   - environment: All of it; nil for this process's own.
    ///   - folder: Where it runs; nil for the current directory.
    /// - Throws: `TimeLimitExceeded`, `TestProgram.Failure`.
    public static func run(
        _ command: [String], environment: [String: String]? = nil, in folder: URL? = nil,
        limit: Duration = .seconds(60)
    ) async throws -> Result {
        let (output, errors) = (Collected(), Collected())
        let program = try TestProgram(
            command, environment: environment, in: folder, limit: limit, output: output.append, errors: errors.append)
        let ending = await program.ending()
        let message = String(decoding: errors.bytes, as: UTF8.self)
        switch ending {
        case .exited(let status), .signalled(let status):
            return Result(status: status, bytes: output.bytes, errors: message)
        case .timedOut:
            throw TimeLimitExceeded(
                command: command, limit: limit, output: String(decoding: output.bytes, as: UTF8.self), errors: message)
        }
    }

    private final class Collected: Sendable {
        private let state = Lock(Data())
        var bytes: Data { state.withLock { $0 } }
        @Sendable func append(_ more: Data) { state.withLock { $0.append(more) } }
    }
}
