// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionUpgradeTests: UpgradeDialogue {
    /// A stream does not keep its session.
    private let session = Session.limited()

    /// Bytes after a server's 101 may arrive together with it, or split anywhere.
    @Test(arguments: [false, true]) func `nothing is lost of what the server says behind its 101`(isSecure: Bool)
        async throws
    {
        let authority = try CertificateAuthority()
        let bytes = Array((Self.agreement + "early").utf8)
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            let cut = Int(request.target.dropFirst()) ?? 0
            return [.send(Array(bytes[..<cut])), .pause(.milliseconds(1)), .send(Array(bytes[cut...])), .awaitClose]
        }
        let session = try Session.trusting(authority)
        for cut in [0, 1, 30, bytes.count - 6, bytes.count - 5, bytes.count - 4, bytes.count] {
            let (stream, response) = try await session.upgrade(for: Self.request(origin, "/\(cut)"))
            #expect(response.statusCode == 101)
            #expect(response.value(forHTTPHeaderField: "Upgrade") == "echo")
            #expect(try await Self.text(stream, 5) == "early")
            stream.closeWrite()
        }
        let request = try #require(origin.requests.first)
        #expect(request.value(of: "Connection") == "Upgrade")
    }

    @Test func `the stream is the caller's: it is read and written, and releasing it closes it`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.index == 0 ? [.send(Self.agreement)] : [.ok("answer to \(request.target)")]
        }
        do {
            let (stream, _) = try await session.upgrade(for: Self.request(origin))
            try await stream.write(Data("GET /again HTTP/1.1\r\nHost: a\r\n\r\n".utf8), timeout: .seconds(60))
            let (data, _) = try await stream.readData(ofMinLength: 53, maxLength: 1000, timeout: .seconds(60))
            #expect(String(decoding: try #require(data), as: UTF8.self).hasSuffix("answer to /again"))
            #expect(origin.observations.openConnections == 1)
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a connection that speaks another protocol counts for no limit and carries no request`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/" ? [.send(Self.agreement), .awaitClose] : [.ok("answer")]
        }
        let session = Session.limited(to: 1)
        let (stream, _) = try await session.upgrade(for: Self.request(origin))
        #expect(try await session.text(URLRequest(origin, "/other")) == "answer")
        #expect(origin.connectionCount == 2)
        stream.cancel()
        #expect(await origin.waitFor { $0.openConnections == 1 })
    }

    @Test func `a switch that was not asked for is a malformed response`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.agreement + "early"), .awaitClose] }
        let request = try URLRequest(origin)
        do throws(SessionError) {
            _ = try await session.upgrade(for: request)
            Issue.record("it was not asked for")
        } catch {
            #expect(error.reason.malformation?.reason == .unsolicited(.upgrade))
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a server that agrees before it has received the whole request is not believed`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, _ in [.send(Self.agreement), .awaitClose] }) { _, _ in [] }
        var request = try Self.request(origin)
        request.httpMethod = "POST"
        request.body = .once(ProbingSource { _, _ in .later })
        do throws(SessionError) {
            _ = try await session.upgrade(for: request)
            Issue.record("the request was not sent")
        } catch {
            guard case .transfer(.upgradeNotTaken) = error.reason else { Issue.record("\(error)"); return }
        }
    }

    @Test func `the end behind a 101 is the stream's`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.agreement + "bye"), .close] }
        let (stream, _) = try await session.upgrade(for: Self.request(origin))
        let (data, isAtEnd) = try await stream.readData(ofMinLength: 10, maxLength: 10, timeout: .seconds(60))
        #expect(data == Data("bye".utf8) && isAtEnd)
    }
}
