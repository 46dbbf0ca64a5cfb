// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Lines, events and bytes of servers that share no code with us: nginx, Python, OpenSSL.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StreamTests {
    private func trusting(
        _ authority: CertificateAuthority, pins: [String] = []
    ) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        let policies = pins.isEmpty ? nil : try PinSet(pins: pins.map { try X509Certificate.PublicKey(pin: $0) })
        return Session(
            configuration: configuration,
            serverTrustPolicyManager: policies.map { ServerTrustPolicyManager(policies: ["localhost": .pinSet($0)]) })
    }

    private func text(_ stream: StreamTask, _ count: Int) async throws -> String {
        let (data, _) = try await stream.readData(ofMinLength: count, maxLength: count, timeout: .seconds(60))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    @Test func `lines of a file that nginx sends slowly are all there`() async throws {
        let lines = (0..<20_000).map { "line \($0)" }
        let file = Data((lines.joined(separator: "\r\n") + "\r\n").utf8)
        let server = try await NginxServer(
            files: ["lines.txt": file], directives: "location /lines.txt { limit_rate 400k; limit_rate_after 64k; }")
        let (bytes, _) = try await Session().bytes(for: URLRequest(string: server.url("/lines.txt")))
        var number = 0
        for try await line in bytes.lines {
            #expect(line == lines[number])
            number += 1
        }
        #expect(number == lines.count)
    }

    @Test func `leaving a body of nginx's early keeps its connection if little is left, and closes it otherwise`()
        async throws
    {
        let server = try await NginxServer(files: [
            "short.txt": Data("x\n".utf8) + Data(repeating: 0x61, count: 60_000),
            "long.txt": Data("x\n".utf8) + Data(repeating: 0x61, count: 50_000_000),
        ])
        var configuration = SessionConfiguration()
        (configuration.httpMaximumConnectionsPerHost, configuration.reactorCount) = (1, 1)
        let session = Session(configuration: configuration)
        for (name, reuses) in [("short.txt", true), ("short.txt", true), ("long.txt", false)] {
            for try await line in try await session.bytes(for: URLRequest(string: server.url("/\(name)"))).0.lines {
                #expect(line == "x")
                break
            }
            let record = try await RecordedTask.run(session, server.url("/ok"))
            #expect(record.metrics?.isConnectionReused == reuses)
        }
    }

    @Test func `events of Python's continue from connection to connection until there are no more`() async throws {
        let server = try await PythonStreamServer()
        var events: [ServerSentEvent] = []
        for try await event in Session().events(for: try URLRequest(string: server.url("/events"))) {
            events.append(event)
        }
        #expect(events.map(\.id) == (1...9).map { "\($0)" })
        #expect(events.map(\.data) == (1...9).map { "\($0 * $0)" })
    }

    @Test func `Python agrees to another protocol, and speaks it`() async throws {
        let server = try await PythonStreamServer()
        var request = try URLRequest(string: server.url("/echo"))
        request.setValue("echo", forHTTPHeaderField: "Upgrade")
        let session = Session()
        let (stream, response) = try await session.upgrade(for: request)
        #expect(response.statusCode == 101)
        #expect(try await text(stream, 7) == "hello\r\n")
        let piece = Data(repeating: 0x61, count: 3_000_000)
        async let written: Void = stream.write(piece, timeout: .seconds(60))
        let (echo, _) = try await stream.readData(
            ofMinLength: piece.count, maxLength: piece.count, timeout: .seconds(60))
        try await written
        #expect(echo == Data(repeating: 0x41, count: piece.count))
        stream.closeWrite()
        let (end, isAtEnd) = try await stream.readData(ofMinLength: 10, maxLength: 10, timeout: .seconds(60))
        #expect(end == Data("BYE".utf8) && isAtEnd)
        withExtendedLifetime(session) {}
    }

    @Test(arguments: [false, true]) func `Python continues over TLS after STARTTLS, pinned or not`(isPinned: Bool)
        async throws
    {
        let server = try await PythonStreamServer()
        let session = try trusting(server.authority, pins: isPinned ? [server.identity.pin] : [])
        let stream = session.streamTask(withHostName: "localhost", port: Int(server.port))
        stream.resume()
        try await stream.write(Data("STARTTLS\r\n".utf8), timeout: .seconds(60))
        #expect(try await text(stream, 11) == "220 go on\r\n")
        stream.startSecureConnection()
        // It speaks first.
        #expect(try await text(stream, 9) == "welcome\r\n")
        for _ in 0..<3 {
            try await stream.write(Data(repeating: 0x61, count: 100_000), timeout: .seconds(60))
            #expect(try await text(stream, 100_000) == String(repeating: "A", count: 100_000))
        }
        stream.closeWrite()
        let (end, isAtEnd) = try await stream.readData(ofMinLength: 10, maxLength: 10, timeout: .seconds(60))
        #expect(end == Data("BYE".utf8) && isAtEnd)
        withExtendedLifetime(session) {}
    }

    @Test func `a server after STARTTLS that is not the pinned one receives nothing`() async throws {
        let server = try await PythonStreamServer()
        let session = try trusting(server.authority, pins: [CertificateAuthority().pin])
        let stream = session.streamTask(withHostName: "localhost", port: Int(server.port))
        stream.resume()
        try await stream.write(Data("STARTTLS\r\n".utf8), timeout: .seconds(60))
        #expect(try await text(stream, 11) == "220 go on\r\n")
        stream.startSecureConnection()
        let error = await #expect(throws: SessionError.self) {
            try await stream.write(Data("secret".utf8), timeout: .seconds(60))
        }
        #expect(error?.reason.kind == .trust)
        withExtendedLifetime(session) {}
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `openssl s_server reads and answers over a secured stream`(version: OpenSSLServer.Version) async throws {
        let authority = try CertificateAuthority()
        let server = try await OpenSSLServer(
            version, identity: try authority.issue(.localhost), content: .files(["a.txt": Data("a letter".utf8)]))
        let session = try trusting(authority)
        let stream = session.streamTask(withHostName: "localhost", port: Int(server.port))
        stream.resume()
        stream.startSecureConnection()
        try await stream.write(Data("GET /a.txt HTTP/1.0\r\n\r\n".utf8), timeout: .seconds(60))
        var answer = Data()
        while answer.range(of: Data("a letter".utf8)) == nil {
            let (piece, isAtEnd) = try await stream.readData(ofMinLength: 1, maxLength: 1000, timeout: .seconds(60))
            answer += piece ?? Data()
            if isAtEnd { break }
        }
        #expect(answer.starts(with: Data("HTTP/1.0 200".utf8)) && answer.range(of: Data("a letter".utf8)) != nil)
        stream.cancel()
        withExtendedLifetime(session) {}
    }
}
