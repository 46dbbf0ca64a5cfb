// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A server that parses forms with the mail parser of Python's library, and returns the parts as JSON.
final class FormServer: Sendable {
    /// What it found of a part.
    struct Part: Decodable, Equatable {
        var name: String
        var fileName: String?
        /// What the part itself says.
        var type: String?
        var size: Int
        var sha256: String
        var fields: [String]
    }

    private static let program = #"""
        import email.parser, email.policy, hashlib, http.server, json, sys

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def content(self):
                if self.headers["Transfer-Encoding"] != "chunked":
                    return self.rfile.read(int(self.headers["Content-Length"]))
                content = b""
                while size := int(self.rfile.readline(), 16):
                    content += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return content

            def do_POST(self):
                head = b"Content-Type: " + self.headers["Content-Type"].encode() + b"\r\n\r\n"
                policy = email.policy.HTTP.clone(utf8=True)
                form = email.parser.BytesParser(policy=policy).parsebytes(head + self.content())
                parts = []
                for part in form.iter_parts():
                    content = part.get_payload(decode=True)
                    parts.append({
                        "name": part.get_param("name", header="Content-Disposition"),
                        "fileName": part.get_param("filename", header="Content-Disposition"),
                        "type": part["Content-Type"], "size": len(content),
                        "sha256": hashlib.sha256(content).hexdigest(), "fields": sorted(part.keys())})
                answer = json.dumps({"parts": parts, "defects": len(form.defects)}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_PUT = do_POST

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """#

    struct Answer: Decodable {
        var parts: [Part]
        /// How much of the form is not as it should be.
        var defects: Int
    }

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts it, and returns when it says on which port it listens.
    init() async throws {
        folder = try TemporaryFolder()
        process = try ServerProcess("python3", ["-u", "-c", Self.program], package: "python3", in: folder.url)
        let isReady = await process.output.waitFor { $0.contains { $0.hasPrefix("port ") } }
        guard isReady, let port = process.output.lines.compactMap(Self.port(announcedBy:)).first else {
            throw ServerError.silent(program: "python3", output: process.output.lines)
        }
        self.port = port
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    private static func port(announcedBy line: String) -> UInt16? {
        line.hasPrefix("port ") ? UInt16(line.dropFirst(5)) : nil
    }
}
