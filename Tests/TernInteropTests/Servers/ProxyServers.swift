// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting

/// A squid of its own on free loopback ports.
final class SquidServer: Sendable {
    /// How the proxy has its users prove who they are.
    enum Authentication {
        case none, basic, digest
    }

    let port: UInt16
    /// Over TLS; 0 without an identity.
    let securePort: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    /// Starts squid, and returns when it accepts connections. Its only user is "user" with the password "secret".
    init(tls identity: Identity? = nil, _ authentication: Authentication = .none) async throws {
        folder = try TemporaryFolder()
        // Squid gives up the rights of root.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        port = try LoopbackPort.free().number
        securePort = identity == nil ? 0 : try LoopbackPort.free().number
        var lines = """
            http_port 127.0.0.1:\(port)
            visible_hostname proxy.test
            shutdown_lifetime 0 seconds
            pid_filename none
            cache deny all
            cache_mem 0
            access_log none
            cache_log /dev/stderr
            coredump_dir \(folder.url.path)
            pinger_enable off

            """
        if let identity {
            let file = try folder.write(identity.chainPEM + identity.privateKeyPEM, to: "squid.pem")
            lines += "https_port 127.0.0.1:\(securePort) cert=\(file) key=\(file)\n"
        }
        switch authentication {
        case .none: lines += "http_access allow all\n"
        case .basic, .digest:
            let isBasic = authentication == .basic
            let users = try folder.write(
                isBasic ? "user:\(Self.hash)\n" : "user:secret\n", to: "users")
            let kind = isBasic ? "basic" : "digest"
            lines += """
                auth_param \(kind) program /usr/lib/squid/\(isBasic ? "basic_ncsa_auth" : "digest_file_auth") \(users)
                auth_param \(kind) children 1
                auth_param \(kind) realm proxy
                acl known proxy_auth REQUIRED
                http_access allow known
                http_access deny all

                """
        }
        let file = try folder.write(lines, to: "squid.conf")
        process = try ServerProcess(
            "squid", ["-N", "-f", file], package: "squid-openssl", in: folder.url)
        try await process.waitUntilListening(on: port)
        if securePort > 0 { try await process.waitUntilListening(on: securePort) }
    }

    /// "secret" as `openssl passwd -apr1` hashes it.
    private static let hash = "$apr1$ternprxy$j0TaMxG1CcHXmpunfrxGJ0"
}

/// A proxy that is one command: tinyproxy, microsocks, dante or haproxy.
final class SmallProxy: Sendable {
    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ServerProcess

    private init(
        _ program: String, package: String, configuration: String?, _ arguments: (UInt16, String) -> [String]
    ) async throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free().number
        let text = configuration?.replacing("PORT", with: "\(port)") ?? ""
        let file = try folder.write(text, to: "proxy.conf")
        process = try ServerProcess(program, arguments(port, file), package: package, in: folder.url)
        try await process.waitUntilListening(on: port)
    }

    /// An HTTP proxy.
    static func tinyproxy() async throws -> SmallProxy {
        let configuration = "Port PORT\nListen 127.0.0.1\nTimeout 60\nConnectPort 0\nMaxClients 20\n"
        return try await SmallProxy(
            "tinyproxy", package: "tinyproxy",
            configuration: configuration.replacing("ConnectPort 0\n", with: "")
        ) { ["-d", "-c", $1] }
    }

    /// A SOCKS 5 proxy, whose only user is "user" with the password "secret".
    static func microsocks() async throws -> SmallProxy {
        try await SmallProxy("microsocks", package: "microsocks", configuration: nil) { port, _ in
            ["-i", "127.0.0.1", "-p", "\(port)", "-u", "user", "-P", "secret"]
        }
    }

    /// A proxy for SOCKS 4 and SOCKS 5 without passwords.
    static func dante() async throws -> SmallProxy {
        let configuration = """
            logoutput: stderr
            internal: 127.0.0.1 port = PORT
            external: lo
            clientmethod: none
            socksmethod: none
            client pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }
            socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }

            """
        return try await SmallProxy("danted", package: "dante-server", configuration: configuration) { ["-f", $1] }
    }

    /// A load balancer that expects the PROXY protocol, and answers with the address in it.
    static func haproxy() async throws -> SmallProxy {
        let configuration = """
            defaults
                mode http
                timeout client 30s
                timeout server 30s
                timeout connect 30s
            frontend in
                bind 127.0.0.1:PORT accept-proxy
                http-request return status 200 content-type text/plain lf-string "%[src] %[src_port]"

            """
        return try await SmallProxy("haproxy", package: "haproxy", configuration: configuration) {
            ["-db", "-f", $1]
        }
    }

    /// A load balancer before a server at this port, which it gives up after 300 ms of silence, also in the midst of a
    /// response.
    static func impatientHaproxy(before server: UInt16) async throws -> SmallProxy {
        let configuration = """
            defaults
                mode http
                timeout client 30s
                timeout server 300ms
                timeout connect 5s
                retries 0
            frontend in
                bind 127.0.0.1:PORT
                default_backend servers
            backend servers
                server one 127.0.0.1:\(server)

            """
        return try await SmallProxy("haproxy", package: "haproxy", configuration: configuration) {
            ["-db", "-f", $1]
        }
    }
}
