// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The `openssl` command: an opinion on our certificates that shares no code with us.
struct OpenSSLCommand {
    var status: Int32
    var output: String

    /// Runs the script in `sh` with the files by name in its working directory.
    static func run(_ script: String, files: [String: String]) throws -> OpenSSLCommand {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in files { try Data(content.utf8).write(to: folder.appendingPathComponent(name)) }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = folder
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return OpenSSLCommand(status: process.terminationStatus, output: output)
    }
}
