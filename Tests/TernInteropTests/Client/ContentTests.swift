// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Request content and content codings, with nginx at the other end.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ContentTests {
    /// Says in a field where it has put the content.
    private static let directives = """
        client_max_body_size 0;
        gzip on;
        gzip_types text/plain;
        gzip_min_length 100;
        types { text/plain txt; }
        location = /upload {
            client_body_in_file_only on;
            add_header X-Content-File $request_body_file;
            proxy_http_version 1.1;
            proxy_pass $scheme://$server_addr:$server_port/ok;
        }
        location = /small {
            client_max_body_size 1k;
            proxy_pass $scheme://$server_addr:$server_port/ok;
        }
        """

    private static let body = Pattern.bytes(3_000_000)

    private static func session(_ server: NginxServer) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.tls.anchors = .only([try X509Certificate(pem: server.authority.certificatePEM)])
        return Session(configuration: configuration)
    }

    private static func contents(in folder: TemporaryFolder) throws -> [RequestBody] {
        let file = try folder.write(body, to: "content")
        let pieces = stride(from: 0, to: body.count, by: 70_000).map { body.dropFirst($0).prefix(70_000) }
        let sequence = { @Sendable in
            AsyncStream<Data> { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            }
        }
        return [.data(body), .file(path: file), .sequence(make: sequence), .sequence(sequence(), length: body.count)]
    }

    @Test func `nginx gets content of every kind whole, plain and secure, and a chunked one too`() async throws {
        let server = try await NginxServer(directives: Self.directives)
        let session = try Self.session(server)
        let folder = try TemporaryFolder()
        for url in [server.url("/upload"), server.secureURL("/upload")] {
            for expects in [false, true] {
                for content in try Self.contents(in: folder) {
                    var request = try Tern.URLRequest(string: url)
                    request.httpMethod = "POST"
                    request.body = content
                    if expects { request.setValue("100-continue", forHTTPHeaderField: "Expect") }
                    let (data, response) = try await session.data(for: request)
                    #expect(String(decoding: data, as: UTF8.self) == "ok")
                    let file = try #require(response.value(forHTTPHeaderField: "X-Content-File"))
                    #expect(try Data(contentsOf: URL(filePath: file)) == Self.body)
                }
            }
        }
    }

    @Test func `nginx refuses what is too large, and that is the answer`() async throws {
        let server = try await NginxServer(directives: Self.directives)
        let session = try Self.session(server)
        let folder = try TemporaryFolder()
        for url in [server.url("/small"), server.secureURL("/small")] {
            for content in try Self.contents(in: folder) {
                var request = try Tern.URLRequest(string: url)
                request.httpMethod = "POST"
                request.body = content
                request.setValue("100-continue", forHTTPHeaderField: "Expect")
                let (_, response) = try await session.data(for: request)
                #expect(response.statusCode == 413)
            }
        }
    }

    @Test func `what nginx compresses is delivered as it was, and asked for so`() async throws {
        let text = Data((0..<5000).map { "line \($0)\n" }.joined().utf8)
        let server = try await NginxServer(files: ["a.txt": text], directives: Self.directives)
        let session = try Self.session(server)
        for url in [server.url("/a.txt"), server.secureURL("/a.txt")] {
            for decodes in [true, false] {
                var request = try Tern.URLRequest(string: url)
                request.decodesContent = decodes
                let (data, response) = try await session.data(for: request)
                #expect(data == text)
                #expect(response.isContentDecoded == decodes)
                #expect(response.value(forHTTPHeaderField: "Content-Encoding") == (decodes ? "gzip" : nil))
            }
            var range = try Tern.URLRequest(string: url)
            range.setValue("bytes=10-19", forHTTPHeaderField: "Range")
            let (data, response) = try await session.data(for: range)
            #expect(response.statusCode == 206)
            #expect(data == text.dropFirst(10).prefix(10))
        }
    }
}
