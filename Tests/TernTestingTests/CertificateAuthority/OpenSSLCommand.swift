// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms

/// The `openssl` command: an opinion on our certificates that shares no code with us.
struct OpenSSLCommand {
    var status: Int32
    var output: String

    /// Runs the script in `sh` with the files by name in its working directory.
    static func run(_ script: String, files: [String: String]) async throws -> OpenSSLCommand {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in files { try Data(content.utf8).write(to: folder.appendingPathComponent(name)) }
        let result = try await Command.run(["sh", "-c", "exec 2>&1; " + script], in: folder)
        return OpenSSLCommand(status: result.status, output: result.output)
    }
}
