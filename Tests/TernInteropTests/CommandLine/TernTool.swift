// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms

/// The built command `tern`, run as people run it.
enum TernTool {
    struct Result {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }

        /// The one JSON object on standard output.
        func object() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
        }
    }

    /// The command that `TERN_COMMAND` names, such as a release build, which starts in a thirtieth of the time; else
    /// the one beside the test runner.
    static var executable: URL {
        get throws {
            if let path = ProcessInfo.processInfo.environment["TERN_COMMAND"] { return URL(filePath: path) }
            return try builtPrograms.appending(path: "tern")
        }
    }

    /// The folder of the test runner and of the programs that were built with it.
    static var builtPrograms: URL {
        get throws {
            let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: runner).deletingLastPathComponent()
        }
    }

    /// For a tool built with AddressSanitizer, whose process ends while its reactor may still run: what OpenSSL keeps
    /// for that thread is no leak. Freed memory is reused soon, so that peaks mean something.
    static let sanitizerOptions = "detect_leaks=0:quarantine_size_mb=1"

    /// ThreadSanitizer ends a process whose files may not grow.
    static var isThreadSanitized: Bool {
        #if THREAD_SANITIZER
            true
        #else
            false
        #endif
    }

    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(["ASAN_OPTIONS": sanitizerOptions]) { $1 }
    }

    static func run(_ arguments: String...) async throws -> Result {
        try await run(arguments)
    }

    static func run(_ arguments: [String]) async throws -> Result {
        let result = try await Command.run([executable.path] + arguments, environment: environment)
        return Result(status: result.status, output: result.bytes, errors: result.errors)
    }
}
