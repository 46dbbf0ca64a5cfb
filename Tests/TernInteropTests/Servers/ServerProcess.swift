// SPDX-License-Identifier: Apache-2.0
// A shell between the test and the server ends the server when its own input ends: that is, when the test releases this
// object, and also when the test process dies.

import Foundation
import Glibc

/// A server program that lives as long as this object.
final class ServerProcess: Sendable {
    /// What the program writes, standard output and standard error together.
    let output = LineLog()
    private let process: Process
    private let lifeline = Pipe()
    private let program: String

    /// - Parameters:
    ///   - package: What to install if the program is missing.
    ///   - folder: Where the program runs.
    init(_ program: String, _ arguments: [String], package: String, in folder: URL) throws {
        guard let path = Self.path(of: program) else {
            throw ServerError.notInstalled(program: program, package: package)
        }
        self.program = program
        let process = Process()
        self.process = process
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let supervise = #"""
            exec 3<&0
            "$@" </dev/null 3<&- & server=$!
            (read _ <&3; kill $server) & watch=$!
            wait $server
            kill $watch
            """#
        process.arguments = ["-c", supervise, "sh", path] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = lifeline
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let output = output
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            if bytes.isEmpty { handle.readabilityHandler = nil }
            output.append(bytes)
        }
        try Self.withSignalsUnblocked { try process.run() }
    }

    deinit { stop() }

    /// Ends the server and waits until it has gone. Idempotent.
    func stop() {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Waits until all the loopback ports accept connections.
    func waitUntilListening(on ports: UInt16..., within limit: Duration = .seconds(10)) async throws {
        let deadline = ContinuousClock.now + limit
        for port in ports {
            while !LoopbackPort(port).accepts() {
                guard process.isRunning else { throw ServerError.ended(program: program, output: output.lines) }
                guard .now < deadline else { throw ServerError.silent(program: program, output: output.lines) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// The threads of a test block signals, and a child inherits that: the shell would never notice that the server
    /// ended.
    private static func withSignalsUnblocked(_ work: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try work()
    }

    private static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}
