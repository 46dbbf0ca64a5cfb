// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting

/// An nginx of its own, with one worker, over http and https on two free loopback ports, and at two Unix domain
/// sockets.
///
/// It serves the files a test gives it, and `/ok`, which says `ok`.
final class NginxServer: Sendable {
    let port: UInt16
    let securePort: UInt16
    /// The authority that issued the server's certificate for `localhost`, `127.0.0.1` and `::1`.
    let authority: CertificateAuthority
    let identity: Identity
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts nginx, and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - files: Names below the document root, and contents.
    ///   - directives: More lines for the `server` block, such as a `location`.
    init(files: [String: Data] = [:], directives: String = "") async throws {
        authority = try CertificateAuthority()
        identity = try authority.issue(.localhost)
        folder = try TemporaryFolder()
        try folder.write(identity.chainPEM, to: "server.pem")
        try folder.write(identity.privateKeyPEM, to: "server.key")
        try folder.write(Data(), to: "root/empty")
        for (name, contents) in files { try folder.write(contents, to: "root/\(name)") }
        (process, port, securePort) = try await Self.start(in: folder, directives: directives)
    }

    func url(_ path: String = "/ok") -> String { "http://127.0.0.1:\(port)\(path)" }

    func secureURL(_ path: String = "/ok") -> String { "https://localhost:\(securePort)\(path)" }

    /// One line per request that is done: connection, its place on the connection from 1, status, method and target.
    var accessLog: LineLog { process.output }

    /// The socket where it speaks plain http.
    var socketPath: String { folder.url.path + "/web.sock" }

    /// The socket where it speaks https.
    var secureSocketPath: String { folder.url.path + "/secure.sock" }

    /// Writes a file below the document root.
    func write(_ contents: Data, to name: String) throws { try folder.write(contents, to: "root/\(name)") }

    /// Ends nginx and waits until it has gone. Idempotent.
    func stop() async { await process.stop() }

    private static func start(
        in folder: TemporaryFolder, directives: String
    ) async throws -> (ServerProcess, UInt16, UInt16) {
        var attempts = 5
        while true {
            let (port, securePort) = (try LoopbackPort.free().number, try LoopbackPort.free().number)
            let configuration = configuration(port, securePort, folder.url.path, directives)
            let file = try folder.write(configuration, to: "nginx.conf")
            let arguments = ["-p", folder.url.path, "-c", file, "-e", "stderr"]
            let process = try ServerProcess("nginx", arguments, package: "nginx-light", in: folder.url)
            do {
                try await process.waitUntilListening(on: port, securePort)
                return (process, port, securePort)
            } catch ServerError.ended(_, let output)
                where attempts > 1 && output.contains(where: { $0.contains("bind()") })
            {
                attempts -= 1  // another process was faster to take the port
            }
        }
    }

    private static func configuration(
        _ port: UInt16, _ securePort: UInt16, _ folder: String, _ directives: String
    ) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes 1;
        pid \(folder)/nginx.pid;
        error_log stderr warn;
        events { worker_connections 4096; }
        http {
            log_format line "$connection $connection_requests $status $request_method $request_uri";
            access_log /dev/stdout line;
            client_body_temp_path \(folder)/body;
            proxy_temp_path \(folder)/proxy;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            keepalive_requests 1000000000;
            keepalive_timeout 600s;
            sendfile on;
            tcp_nopush on;
            server {
                listen 127.0.0.1:\(port) backlog=4096;
                listen 127.0.0.1:\(securePort) ssl backlog=4096;
                listen unix:\(folder)/web.sock;
                listen unix:\(folder)/secure.sock ssl;
                ssl_certificate \(folder)/server.pem;
                ssl_certificate_key \(folder)/server.key;
                ssl_protocols TLSv1.2 TLSv1.3;
                ssl_session_cache shared:tern:1m;
                root \(folder)/root;
                default_type application/octet-stream;
                location = /ok { return 200 "ok"; }
                \(directives)
            }
        }
        """
    }
}
