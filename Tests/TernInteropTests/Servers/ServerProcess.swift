// SPDX-License-Identifier: Apache-2.0
// A shell between the test and the server ends the server when its own input ends: that is, when the test releases this
// object, and also when the test process dies.

import Foundation
import TestPrograms

/// A server program that lives as long as this object.
final class ServerProcess: Sendable {
    /// What the program writes, standard output and standard error together.
    let output = LineLog()
    private let supervisor: TestProgram
    private let program: String

    /// - Parameters:
    ///   - package: What to install if the program is missing.
    ///   - folder: Where the program runs.
    init(_ program: String, _ arguments: [String], package: String, in folder: URL) throws {
        guard let path = Self.path(of: program) else {
            throw ServerError.notInstalled(program: program, package: package)
        }
        self.program = program
        let supervise = #"""
            exec 3<&0
            "$@" </dev/null 3<&- & server=$!
            (read _ <&3; kill $server) & watch=$!
            wait $server
            kill $watch
            """#
        supervisor = try TestProgram(
            ["/bin/sh", "-c", supervise, "sh", path] + arguments, in: folder, input: .pipe, output: output.append)
    }

    deinit { release() }

    /// Ends the server without waiting for it. Idempotent.
    func release() { supervisor.closeInput() }

    /// Ends the server and waits until it has gone. Idempotent.
    func stop() async {
        release()
        _ = await supervisor.ending()
    }

    /// Waits until all the loopback ports accept connections.
    func waitUntilListening(on ports: UInt16..., within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        for port in ports {
            while !LoopbackPort(port).accepts() {
                guard supervisor.isRunning else { throw ServerError.ended(program: program, output: output.lines) }
                guard .now < deadline else { throw ServerError.silent(program: program, output: output.lines) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}
