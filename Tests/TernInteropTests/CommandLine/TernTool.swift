// SPDX-License-Identifier: Apache-2.0
// Safety: the arrays and the values that the pointers refer to outlive posix_spawn(3), which copies what it needs.
import Foundation
import Glibc
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

    /// Runs the command with arguments that need not be UTF-8.
    @concurrent static func run(bytes arguments: [[UInt8]], in folder: TemporaryFolder) async throws -> Result {
        let outputs = try TemporaryFolder()
        let (output, errors) = (outputs.url.appending(path: "output"), outputs.url.appending(path: "errors"))
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (descriptor, file) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, file.path, O_WRONLY | O_CREAT, 0o600)
        }
        let path = try executable.path
        let words = (["env", "-C", folder.url.path, path].map { Array($0.utf8) } + arguments).map {
            $0.map(CChar.init(bitPattern:)) + [0]
        }
        let variables = environment.map { Array("\($0.key)=\($0.value)".utf8CString) }
        let values = unsafe words.map { unsafe strdup($0) }
        let names = unsafe variables.map { unsafe strdup($0) }
        defer { unsafe (values + names).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, "/usr/bin/env", &actions, nil, values + [nil], names + [nil])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return Result(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : -1, output: try Data(contentsOf: output),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    static func run(_ arguments: [String]) async throws -> Result {
        let result = try await Command.run([executable.path] + arguments, environment: environment)
        return Result(status: result.status, output: result.bytes, errors: result.errors)
    }
}
