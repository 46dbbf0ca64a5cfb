// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import TernTesting

/// An nginx of its own with one worker, over http and https on free loopback ports. It lives as long as this object,
/// and no longer than this process.
///
/// TLS is what a server of today has: 1.3, a P-256 leaf below a P-256 intermediate, two tickets per handshake. Cipher
/// and group are fixed, so that all clients compute the same. A second https port closes each connection after its
/// response.
final class BenchmarkServer {
    /// The PEM file of the authority that issued the server's certificate.
    let authorityPath: String
    /// Where clients may keep what they need.
    let folder: URL
    /// The pin of the server's own key.
    let pin: String
    private let ports: [Scenario.Scheme: UInt16]
    private let closingPort: UInt16
    private let process: ChildProcess

    /// Ends nginx and removes its folder when its own input ends, as it does when this process goes, however it goes.
    private static let supervise = #"""
        trap : INT TERM
        exec 3<&0
        folder=$1; shift
        "$@" </dev/null 3<&- & server=$!
        (read _ <&3; kill $server) & watch=$!
        wait $server
        kill $server $watch 2>/dev/null  # a signal ends the wait as well
        wait
        rm -rf "$folder"
        """#

    /// - Throws: ``PeerUnavailable`` if nginx is missing or refuses to start.
    init() throws {
        guard let nginx = ChildProcess.path(of: "nginx") else {
            throw PeerUnavailable(reason: "nginx is not installed (apt-get install nginx-light)")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "tern-bench-\(UUID().uuidString)")
        ports = [.http: try FreePort.find(), .https: try FreePort.find()]
        closingPort = try FreePort.find()
        authorityPath = folder.appending(path: "authority.pem").path
        pin = try Self.fill(folder, ports, closingPort)
        let arguments = ["-p", folder.path, "-c", "nginx.conf", "-e", "stderr"]
        process = try ChildProcess("/bin/sh", ["-c", Self.supervise, "sh", folder.path, nginx] + arguments)
        guard (ports.values + [closingPort]).allSatisfy({ FreePort.becomesTaken($0) }) else {
            process.closeInput()
            throw PeerUnavailable(reason: "nginx does not start; see its messages above")
        }
    }

    deinit {
        process.closeInput()
        _ = try? process.waitForEnd()
    }

    func url(of scenario: Scenario) -> String {
        "\(scenario.scheme)://127.0.0.1:\(ports[scenario.scheme] ?? 0)\(scenario.body.path)"
    }

    /// Writes a file that is then served at `path` over http, as a coded body if the path's extension is of a coding.
    /// Before it is fetched for the first time.
    func serve(_ body: Data, at path: String) throws { try body.write(to: file(at: path)) }

    /// The same with `size` bytes, which never are in memory together.
    func serve(size: Int, at path: String) throws { try Self.write(size, to: file(at: path)) }

    /// What is served at `path`.
    func file(at path: String) -> URL { folder.appending(path: "root" + path) }

    func url(at path: String, over scheme: Scenario.Scheme = .http) -> String {
        "\(scheme)://127.0.0.1:\(ports[scheme] ?? 0)\(path)"
    }

    /// Removes a file that an earlier run has left in the folder, and has the disk write what is still to be written:
    /// the next run would be charged for both.
    func clearDisk(of name: String) {
        try? FileManager.default.removeItem(at: folder.appending(path: name))
        sync()
    }

    /// Where `size` bytes, or a form with a file of that size, are answered with two bytes, once all has been received;
    /// anything else is an error.
    func uploadURL(of size: Int, isForm: Bool, over scheme: Scenario.Scheme) -> String {
        url(at: "\(isForm ? "/form" : "/upload")/\(size)", over: scheme)
    }

    /// Where `handshakes` are to be made: the answer has the right size only after a handshake of the right kind.
    func url(of handshakes: Handshakes) -> String { "https://\(closingAddress)\(handshakes.path)" }

    /// Host and port of the server that closes each connection after its response.
    var closingAddress: String { "127.0.0.1:\(closingPort)" }

    /// Returns the pin of the server's key.
    private static func fill(
        _ folder: URL, _ ports: [Scenario.Scheme: UInt16], _ closingPort: UInt16
    ) throws -> String {
        let root = folder.appending(path: "root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for body in [Scenario.Body.kilobyte, .large] { try write(body.size, to: root.appending(path: body.path)) }
        let authority = try CertificateAuthority()
        let identity = try authority.issueIntermediate().issue(.localhost)
        let texts = [
            "authority.pem": authority.certificatePEM, "server.pem": identity.chainPEM,
            "server.key": identity.privateKeyPEM, "nginx.conf": configuration(folder.path, ports, closingPort),
        ]
        for (name, text) in texts { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return identity.pin
    }

    /// Blocks of zeros, not a sparse file, so that the page cache works as it does for any other file.
    private static func write(_ size: Int, to url: URL) throws {
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        let block = Data(count: 1 << 20)
        for offset in stride(from: 0, to: size, by: block.count) {
            try file.write(contentsOf: block.prefix(size - offset))
        }
        try file.close()
    }

    private static var codings: String {
        ContentCoding.allCases.map {
            #"location ~ \.\#($0.pathExtension)$ { add_header Content-Encoding \#($0.rawValue); }"#
        }
        .joined(separator: " ")
    }

    private static func configuration(
        _ folder: String, _ ports: [Scenario.Scheme: UInt16], _ closingPort: UInt16
    ) -> String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes 1;
        pid nginx.pid;
        error_log stderr crit;
        events { worker_connections 4096; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            keepalive_requests 1000000000;
            keepalive_timeout 600s;
            sendfile on;
            tcp_nopush on;
            tcp_nodelay on;
            open_file_cache max=16;
            ssl_certificate \(folder)/server.pem;
            ssl_certificate_key \(folder)/server.key;
            ssl_protocols TLSv1.3;
            ssl_conf_command Ciphersuites TLS_AES_256_GCM_SHA384;
            ssl_ecdh_curve X25519;
            default_type application/byte-stream;
            map $ssl_session_reused $new { "." ok; default resumed; }
            map $ssl_session_reused $resumed { r ok; default new; }
            # The path says how much is to come; of a form its file, and what is around that is a few hundred bytes.
            map "$uri $content_length" $uploaded {
                "~^/upload/(\\d+) \\1$" /small;
                "~^/form/(\\d+)\\d{4} \\1\\d{4}$" /small;
                default /wrong-length;
            }
            server {
                listen 127.0.0.1:\(ports[.http] ?? 0) backlog=4096;
                listen 127.0.0.1:\(ports[.https] ?? 0) ssl backlog=4096;
                root \(folder)/root;
                location = /small { return 200 "ok"; }
                \(codings)
                # Asks itself, and that only once the whole body lies in memory: cheaper than a file, or than 4 KB at a time.
                location ~ ^/(upload|form)/ {
                    client_max_body_size 0;
                    client_body_buffer_size 1025m;
                    proxy_pass_request_body off;
                    proxy_set_header Content-Length "";
                    proxy_pass http://127.0.0.1:\(ports[.http] ?? 0)$uploaded;
                }
            }
            server {
                listen 127.0.0.1:\(closingPort) ssl backlog=4096;
                keepalive_timeout 0;
                location = \(Handshakes.any.path) { return 200 "ok"; }
                location = \(Handshakes.new.path) { return 200 $new; }
                location = \(Handshakes.resumed.path) { return 200 $resumed; }
            }
        }
        """
    }
}
