// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

/// The policy of retries, with servers and balancers as people run them.
@Suite(.timeLimit(.minutes(2))) struct RetryTests {
    private static let directives = """
        location /busy {
            add_header Retry-After 1 always;
            if (!-f $document_root/open) { return 503; }
            return 200 "open";
        }
        location /many {
            if (!-f $document_root/open) { return 429; }
            return 200 "open";
        }
        location /drop {
            if (!-f $document_root/open) { return 444; }
            return 200 "open";
        }
        """

    private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
        var configuration = SessionConfiguration()
        configuration.retryPolicy = .standard
        configuration.retryPolicy.backOff.base = .milliseconds(5)
        change(&configuration)
        return Session(configuration: configuration)
    }

    /// Fetches, and nginx answers from the first retry on.
    private func fetch(_ request: URLRequest, _ session: Session, from server: NginxServer) async -> RecordedTask {
        await RecordedTask.run(session, request) {
            do { try server.write(Data(), to: "open") } catch { Issue.record(error) }
        }
    }

    @Test(arguments: [("/busy", "503"), ("/many", "429"), ("/drop", "connection-lost")])
    func `nginx refuses, and answers after a retry`(path: String, cause: String) async throws {
        let server = try await NginxServer(directives: Self.directives)
        let start = ContinuousClock.now
        let session = session()
        let answer = await fetch(try URLRequest(string: server.url(path)), session, from: server)
        #expect(answer.body == Data("open".utf8) && answer.retryCauses == [cause])
        // It has asked for a second.
        #expect(path != "/busy" || ContinuousClock.now - start >= .seconds(1))
        await server.stop()
    }

    @Test func `nginx that drops a POST gets it once, and again if it has a key`() async throws {
        let server = try await NginxServer(directives: Self.directives)
        var request = try URLRequest(string: server.url("/drop"))
        request.httpMethod = "POST"
        request.httpBody = Data("order".utf8)
        let session = session()
        let plain = request
        let error = await #expect(throws: SessionError.self) { try await session.data(for: plain) }
        #expect(error?.reason.kind == .connectionLost && error?.isSafeToRepeat == false)
        request.addIdempotencyKey()
        let answer = await fetch(request, session, from: server)
        #expect(answer.body == Data("open".utf8) && answer.retryCauses == ["connection-lost"])
        await server.stop()
        #expect(server.accessLog.lines.count { $0.contains("POST /drop") } == 3)
    }

    @Test func `a balancer that gives a server up in the midst of a response ends a body, and not a download`()
        async throws
    {
        let content = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })
        let server = try await NginxServer(
            files: ["file": content], directives: "location /file { limit_rate_after 300k; limit_rate 1; }")
        let balancer = try await SmallProxy.impatientHaproxy(before: server.port)
        let request = try URLRequest(string: "http://127.0.0.1:\(balancer.port)/file")
        let session = session { $0.retryPolicy.maximumRetries = 8 }
        // The program may have used what came of the body.
        let error = await #expect(throws: SessionError.self) { try await session.data(for: request) }
        #expect(error?.reason.kind == .connectionLost && error?.retries.isEmpty == true)
        let folder = try TemporaryFolder()
        let target = folder.url.appending(path: "copy")
        _ = try await session.download(for: request, to: target)
        #expect(try Data(contentsOf: target) == content)
        await server.stop()
        // It has no server any more.
        let small = try URLRequest(string: "http://127.0.0.1:\(balancer.port)/ok")
        let last = await RecordedTask.run(self.session(), small)
        #expect(last.status == 503 && last.retryCauses == ["503", "503"])
    }
}
