// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestPrograms

/// A network of a test's own, without links at first but for a loopback that is down, and a program in it.
final class NetworkNamespace: Sendable {
    /// Whether this machine lets us have one.
    static func isAvailable() async -> Bool { (try? await Command.run(["unshare", "-rn", "true"]).status) == 0 }

    private static let script = """
        exec 3<>commands
        "$@" & program=$!
        trap 'kill $program' EXIT
        trap 'exit' TERM
        while read -r line <&3; do eval "$line"; done
        """

    private let folder: TemporaryFolder
    private let process: ServerProcess
    private let commands: FileHandle

    /// Starts the program.
    init(running program: URL, _ arguments: String...) async throws {
        folder = try TemporaryFolder()
        let path = folder.url.path + "/commands"
        guard unsafe mkfifo(path, 0o600) == 0, let commands = FileHandle(forUpdatingAtPath: path) else {
            throw ServerError.silent(program: "mkfifo", output: [])
        }
        self.commands = commands
        process = try ServerProcess(
            "unshare", ["-rn", "sh", "-c", Self.script, "sh", program.path] + arguments, package: "util-linux",
            in: folder.url)
    }

    /// What the program says, and what commands complain of.
    var output: LineLog { process.output }

    /// Has a line run by a shell in the network, such as `ip link set lo up`.
    func run(_ line: String) throws { try commands.write(contentsOf: Data((line + "\n").utf8)) }
}
