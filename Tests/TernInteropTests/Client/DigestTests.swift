// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TestPrograms
import Testing

/// Digest and Basic with Apache httpd and nginx, by the library and by the command.
@Suite(.timeLimit(.minutes(1))) struct DigestTests {
    private static let credential = PasswordCredential(user: "ada", password: "secret")

    private func apache() async throws -> ApacheServer {
        // MD5 of ada:tern:secret; SHA-1 of secret.
        try await ApacheServer(
            files: [
                "digests": "ada:tern:f1451aa40c7d179eb944fe7fb3bce030\n",
                "passwords": "ada:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n", "digest/a": "protected", "digest/b": "second",
                "basic/a": "protected", "dav/a": "protected",
            ],
            modules: ["auth_digest", "dav", "dav_fs"],
            directives: """
                DavLockDB FOLDER/lock
                <Location /dav>
                Dav On
                AuthType Digest
                AuthName tern
                AuthDigestProvider file
                AuthUserFile FOLDER/digests
                Require valid-user
                </Location>
                <Location /digest>
                AuthType Digest
                AuthName tern
                AuthDigestProvider file
                AuthUserFile FOLDER/digests
                AuthDigestNonceLifetime 1
                Require valid-user
                </Location>
                <Location /basic>
                AuthType Basic
                AuthName tern
                AuthUserFile FOLDER/passwords
                Require valid-user
                </Location>
                """)
    }

    private func status(_ url: String, _ credential: PasswordCredential?) async throws -> String {
        var request = try URLRequest(string: url)
        request.credential = credential
        let (data, response) = try await Session().data(for: request)
        return response.statusCode == 200 ? String(decoding: data, as: UTF8.self) : "\(response.statusCode)"
    }

    @Test func `Apache accepts the right password for each scheme, and no other`() async throws {
        let server = try await apache()
        for path in ["/digest/a", "/basic/a"] {
            #expect(try await status(server.url(path), Self.credential) == "protected")
            #expect(try await status(server.url(path), PasswordCredential(user: "ada", password: "wrong")) == "401")
            #expect(try await status(server.url(path), nil) == "401")
        }
        #expect(try await status(server.url("/digest/b?x=%20y&z"), Self.credential) == "second")
        let digestOnly = PasswordCredential(user: "ada", password: "secret", schemes: .digest)
        #expect(try await status(server.url("/basic/a"), digestOnly) == "401")
        let inURL = server.url("/digest/a").replacing("127.0.0.1", with: "ada:secret@127.0.0.1")
        #expect(try await status(inURL, nil) == "protected")
    }

    @Test func `a session with a storage is asked once by Apache, and the next program not at all`() async throws {
        let server = try await apache()
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "credentials")
        func session() throws -> (Session, CredentialStorage) {
            var configuration = SessionConfiguration()
            let storage = try CredentialStorage(file: file)
            configuration.urlCredentialStorage = storage
            return (Session(configuration: configuration), storage)
        }
        let (first, storage) = try session()
        for method in [ProtectionSpace.AuthenticationMethod.httpDigest, .httpBasic] {
            let space = ProtectionSpace(
                host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "tern", authenticationMethod: method
            )
            storage.set(Credential(Self.credential, persistence: .permanent), for: space)
        }
        try storage.save()
        for path in ["/digest/a", "/digest/b?x", "/basic/a", "/basic/a?y"] {
            let (_, response) = try await first.data(for: URLRequest(string: server.url(path)))
            // Digest is for the whole origin, and Basic for a folder: the longer prefix counts.
            #expect(response.statusCode == 200 && response.history.count <= 1, "\(path)")
            if path.contains("y") { #expect(response.history.isEmpty) }
        }
        let (second, _) = try session()
        for path in ["/digest/a", "/basic/a"] {
            #expect(try await second.data(for: URLRequest(string: server.url(path))).1.statusCode == 200)
        }
    }

    @Test func `a session with a storage is asked once by nginx, and by another session's storage again`() async throws
    {
        let password = "ada:{PLAIN}secret\n"
        let server = try await NginxServer(
            files: ["passwords": Data(password.utf8), "a/b": Data("protected".utf8), "a/c/d": Data("second".utf8)],
            directives: """
                location /a { auth_basic "nginx"; auth_basic_user_file root/passwords; }
                """)
        var configuration = SessionConfiguration()
        let storage = CredentialStorage()
        configuration.urlCredentialStorage = storage
        let session = Session(configuration: configuration)
        let request = try URLRequest(string: server.url("/a/b"))
        storage.set(
            Credential(user: "ada", password: "secret", persistence: .forSession),
            for: ProtectionSpace(
                host: "127.0.0.1", port: try #require(request.url?.port), protocol: "http", realm: "nginx",
                authenticationMethod: .httpBasic))
        #expect(try await session.data(for: request).1.history.count == 1)
        for path in ["/a/b", "/a/c/d"] {
            let (_, response) = try await session.data(for: URLRequest(string: server.url(path)))
            #expect(response.statusCode == 200 && response.history.isEmpty, "\(path)")
        }
        #expect(storage.allCredentials.keys.map(\.realm) == ["nginx"])
        let other = try await Session(configuration: configuration).data(for: URLRequest(string: server.url("/a/b"))).1
        #expect(other.statusCode == 200 && other.history.count == 1)
    }

    @Test func `a body is sent again with the answer`() async throws {
        let server = try await apache()
        var request = try URLRequest(string: server.url("/digest/a"))
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 7, count: 300_000)
        request.credential = Self.credential
        let (_, response) = try await Session().data(for: request)
        #expect(response.statusCode == 200)
    }

    @Test func `the command logs in as curl does`() async throws {
        let server = try await apache()
        for (options, path) in [
            ("--digest", "/digest/a"), ("--anyauth", "/digest/a"), ("--anyauth", "/basic/a"), ("--basic", "/basic/a"),
            ("--digest", "/basic/a"), ("--basic", "/digest/a"),
        ] {
            let arguments = [options, "-u", "ada:secret", "-o", "/dev/null", "-w", "%{http_code}", server.url(path)]
            let tern = try await TernTool.run(arguments)
            #expect(tern.text == (try await curl(arguments)), "\(options) \(path)")
        }
        let inURL = server.url("/basic/a").replacing("127.0.0.1", with: "ada:secret@127.0.0.1")
        let result = try await TernTool.run("-v", inURL)
        #expect(result.text == "protected" && !result.errors.contains("secret") && !result.errors.contains("ada:"))
        let bearer = try await TernTool.run("-v", "--oauth2-bearer", "hidden", server.url("/basic/a"))
        #expect(bearer.errors.contains("Authorization: ") && !bearer.errors.contains("hidden"))
    }

    @Test(arguments: ["hello", ""])
    func `the command uploads standard input to a server with Digest, as curl does`(text: String) async throws {
        let server = try await apache()
        for client in [try TernTool.executable.path + " -sS", "curl -sS"] {
            let name = "/dav/\(UInt64.random(in: 0 ... .max))"
            let line =
                "printf '\(text)' | \(client) --digest -u ada:secret -o /dev/null -w '%{http_code}' -T - \(server.url(name))"
            let result = try await Command.run(["sh", "-c", line], environment: TernTool.environment)
            #expect(result.output == "201", "\(client): \(result.errors)")
            #expect(try await status(server.url(name), Self.credential) == text)
        }
    }

    @Test func `a name without a password is refused`() async throws {
        let result = try await TernTool.run(["-u", "ada", "http://127.0.0.1:1/"])
        #expect(result.status == 2 && result.errors.contains("give user:password"), "\(result.errors)")
    }
}
