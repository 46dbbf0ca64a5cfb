// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `http.server` of Python's library, on a free loopback port: files, folders with their redirect, and a log.
///
/// `/until-close` is a body that nothing but the end of its connection delimits.
final class PythonServer: Sendable {
    /// What it says that it speaks.
    enum Version: String, CaseIterable, Sendable {
        case http10 = "HTTP/1.0"
        case http11 = "HTTP/1.1"
    }

    private static let program = """
        import http.server, sys

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if self.path != "/until-close":
                    return super().do_GET()
                self.send_response(200)
                self.end_headers()
                for number in range(1000):
                    self.wfile.write(b"line %d\\n" % number)
                self.close_connection = True

        http.server.test(Handler, http.server.ThreadingHTTPServer, sys.argv[1], 0, "127.0.0.1")
        """

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts it, and returns when it says on which port it listens.
    ///
    /// - Parameter files: Names and contents.
    init(_ version: Version, files: [String: Data]) async throws {
        folder = try TemporaryFolder()
        for (name, contents) in files { try folder.write(contents, to: name) }
        process = try ServerProcess(
            "python3", ["-u", "-c", Self.program, version.rawValue], package: "python3", in: folder.url)
        let isReady = await process.output.waitFor { !$0.compactMap(Self.port(announcedBy:)).isEmpty }
        guard isReady, let port = process.output.lines.compactMap(Self.port(announcedBy:)).first else {
            throw ServerError.silent(program: "python3", output: process.output.lines)
        }
        self.port = port
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// One line per request, such as `127.0.0.1 - - [date] "GET /a.txt HTTP/1.1" 200 -`.
    var log: LineLog { process.output }

    /// The line `Serving HTTP on 127.0.0.1 port 40000 (http://127.0.0.1:40000/) ...`.
    private static func port(announcedBy line: String) -> UInt16? {
        let words = line.split(separator: " ")
        guard line.hasPrefix("Serving HTTP on "), let index = words.firstIndex(of: "port") else { return nil }
        return words.dropFirst(index + 1).first.flatMap { UInt16($0) }
    }
}
