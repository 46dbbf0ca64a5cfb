// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An Apache httpd of its own on a free loopback port. It serves the files a test gives it.
final class ApacheServer: Sendable {
    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts httpd, and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - files: names below the document root, and contents.
    ///   - modules: the names of further modules, such as `auth_digest`.
    ///   - directives: more lines of its configuration; `FOLDER` stands for the folder of the files.
    init(files: [String: String], modules: [String], directives: String) async throws {
        folder = try TemporaryFolder()
        for (name, contents) in files { try folder.write(contents, to: name) }
        var attempts = 5
        while true {
            let port = try LoopbackPort.free().number
            let file = try folder.write(
                Self.configuration(port, folder.url.path, modules, directives), to: "httpd.conf")
            let process = try ServerProcess(
                "apache2", ["-DFOREGROUND", "-d", folder.url.path, "-f", file], package: "apache2-bin", in: folder.url)
            do {
                try await process.waitUntilListening(on: port)
                (self.port, self.process) = (port, process)
                return
            } catch ServerError.ended(_, let output)
                where attempts > 1 && output.contains(where: { $0.contains("could not bind") })
            {
                attempts -= 1  // another process was faster to take the port
            }
        }
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// What it writes, with the lines of a `CustomLog /dev/stdout`.
    var accessLog: LineLog { process.output }

    /// Writes a file below the document root.
    func write(_ text: String, to name: String) throws { try folder.write(text, to: name) }

    private static func configuration(
        _ port: UInt16, _ folder: String, _ modules: [String], _ directives: String
    ) -> String {
        let all = ["mpm_prefork", "authn_core", "authz_core", "authz_user", "authn_file", "auth_basic"] + modules
        return """
            \(all.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
            ServerName localhost
            StartServers 4
            Listen 127.0.0.1:\(port)
            PidFile \(folder)/httpd.pid
            ErrorLog /dev/stderr
            DocumentRoot \(folder)
            \(directives.replacing("FOLDER", with: folder))

            """
    }
}
