// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Redirects as nginx sends them.
@Suite(.serialized) struct RedirectTests {
    private static let directives = """
        location = /moved { return 301 /ok; }
        location = /found { return 302 /ok; }
        location = /other { return 303 /ok; }
        location = /temporary { return 307 /ok; }
        location = /permanent { return 308 /ok; }
        location = /absolute { return 302 $scheme://$http_host/ok; }
        location /rewritten/ { rewrite ^/rewritten/(.*)$ /$1 redirect; }
        location = /twice { return 302 /rewritten/ok?again; }
        absolute_redirect off;
        """

    @Test(
        arguments: [
            "/moved", "/found", "/other", "/temporary", "/permanent", "/absolute", "/rewritten/ok", "/twice",
        ], [false, true])
    func `every kind is followed, on the same connection`(path: String, isSecure: Bool) async throws {
        let server = try await NginxServer(directives: Self.directives)
        let session = Session(configuration: try Self.configuration(trusting: server.authority))
        let url = try #require(URL(string: isSecure ? server.secureURL(path) : server.url(path)))
        let (data, response) = try await session.data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == "ok")
        #expect(response.statusCode == 200)
        #expect(response.history.count == (path == "/twice" ? 2 : 1))
        let count = response.history.count + 1
        #expect(await server.accessLog.waitFor { $0.count(where: { $0.contains(" GET /") }) == count })
        let connections = server.accessLog.lines.filter { $0.contains(" GET /") }.map { $0.prefix { $0 != " " } }
        #expect(Set(connections).count == 1)
    }

    @Test func `a folder without its slash leads to the one with it`() async throws {
        let server = try await NginxServer(files: ["folder/index.html": Data("index".utf8)])
        let (data, response) = try await Session().data(from: try #require(URL(string: server.url("/folder"))))
        #expect(String(decoding: data, as: UTF8.self) == "index")
        #expect(response.history.map(\.statusCode) == [301])
        #expect(response.url?.path() == "/folder/")
    }

    @Test func `another port is another origin, and another server`() async throws {
        let target = try await NginxServer(directives: "location = /word { return 200 \"<$http_authorization>\"; }")
        let server = try await NginxServer(
            directives: """
                location = /away { return 302 \(target.url("/word")); }
                location = /word { return 200 "<$http_authorization>"; }
                location = /home { return 302 /word; }
                """)
        for (path, word) in [("/home", "<Bearer secret>"), ("/away", "<>")] {
            var request = Tern.URLRequest(url: try #require(URL(string: server.url(path))))
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            #expect(String(decoding: try await Session().data(for: request).0, as: UTF8.self) == word)
        }
    }

    @Test func `from https to http nothing is sent`() async throws {
        let plain = try await NginxServer()
        let server = try await NginxServer(directives: "location = /down { return 302 \(plain.url("/ok?down")); }")
        let session = Session(configuration: try Self.configuration(trusting: server.authority))
        let url = try #require(URL(string: server.secureURL("/down")))
        let error = await #expect(throws: SessionError.self) { _ = try await session.data(from: url) }
        #expect(error?.reason.kind == .redirect)
        #expect(!plain.accessLog.lines.contains { $0.contains("?down") })
    }

    private static func configuration(trusting authority: CertificateAuthority) throws -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        return configuration
    }
}
