// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting

/// An `openssl s_server`, which serves one connection at a time and closes after each response.
final class OpenSSLServer: Sendable {
    /// The one version it speaks.
    enum Version: String {
        case tls12 = "-tls1_2"
        case tls13 = "-tls1_3"
    }

    /// What it answers with.
    enum Content {
        /// A page about the TLS connection, whatever the target.
        case status
        /// The named file, without a header but `Content-type`.
        case files([String: Data])
    }

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts the server, and returns when it accepts connections.
    ///
    /// - Parameter arguments: More arguments for `openssl s_server`, such as `-no_ticket` or `-Verify 1`.
    init(_ version: Version, identity: Identity, content: Content = .status, arguments: [String] = []) async throws {
        folder = try TemporaryFolder()
        let chain = try folder.write(identity.chainPEM, to: "server.pem")
        let key = try folder.write(identity.privateKeyPEM, to: "server.key")
        var all = ["s_server", version.rawValue, "-accept", "127.0.0.1:0"]
        all += ["-cert", chain, "-cert_chain", chain, "-key", key]
        switch content {
        case .status: all += ["-www"]
        case .files(let files):
            for (name, contents) in files { try folder.write(contents, to: name) }
            all += ["-WWW"]
        }
        process = try ServerProcess("openssl", all + arguments, package: "openssl", in: folder.url)
        port = try await Self.reportedPort(process)
        try await process.waitUntilListening(on: port)
    }

    func url(_ path: String = "/") -> String { "https://localhost:\(port)\(path)" }

    /// What the server prints.
    var output: LineLog { process.output }

    /// Ends the server and waits until it has gone. Idempotent.
    func stop() async { await process.stop() }

    /// The kernel chose the port; the server prints it with `ACCEPT 127.0.0.1:port`.
    private static func reportedPort(_ process: ServerProcess) async throws -> UInt16 {
        let port = { @Sendable (lines: [String]) in
            lines.lazy.filter { $0.hasPrefix("ACCEPT ") }.compactMap { UInt16($0.drop { $0 != ":" }.dropFirst()) }.first
        }
        _ = await process.output.waitFor { port($0) != nil }
        guard let port = port(process.output.lines) else {
            throw ServerError.ended(program: "openssl s_server", output: process.output.lines)
        }
        return port
    }
}
