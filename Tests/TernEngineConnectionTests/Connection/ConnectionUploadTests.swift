// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct ConnectionUploadTests {
    /// Bytes that repeat only after a while which is no multiple of any buffer's size.
    private static func body(_ count: Int) -> Data {
        var generator = SeededGenerator(seed: 3)
        let pattern = Data((0..<4099).map { _ in UInt8.random(in: 0...255, using: &generator) })
        var data = Data(capacity: count + pattern.count)
        while data.count < count { data.append(pattern) }
        return data.prefix(count)
    }

    @Test(arguments: [0, 1, 16 * 1024, 16 * 1024 + 1, 64 * 1024, 64 * 1024 + 1, 1_000_000], [false, true])
    func `a body of any size arrives whole`(count: Int, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            [.ok("\(request.body.count)")]
        }
        let session = try Session.trusting(authority)
        let body = Self.body(count)
        for _ in 0..<2 {
            #expect(try await session.text(URLRequest(origin, method: "POST", body: body)) == "\(count)")
        }
        #expect(origin.requests.map { Data($0.body) } == [body, body])
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [false, true])
    func `a large body arrives whole at a server that reads slowly`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        var configuration = ScriptedOrigin.Configuration()
        configuration.receiveBufferSize = 4096
        let count = 4 << 20
        let waits = (1...20).flatMap { [ScriptedOrigin.Step.receive($0 * count / 20), .pause(.milliseconds(5))] }
        let origin = try ScriptedOrigin(
            configuration, tls: isSecure ? authority.issue() : nil, onHead: { _, _ in waits }
        ) { _, request in [.ok("\(request.body.count)")] }
        let session = try Session.trusting(authority)
        let body = Self.body(count)
        #expect(try await session.text(URLRequest(origin, method: "PUT", body: body)) == "\(count)")
        #expect(origin.requests.first.map { Data($0.body) } == body)
    }

    enum Farewell: CaseIterable, Sendable {
        case staysOpen, close, reset

        var steps: [ScriptedOrigin.Step] {
            switch self {
            case .staysOpen: [.awaitClose]
            case .close: [.close]
            case .reset: [.reset]
            }
        }
    }

    @Test(arguments: Farewell.allCases, [false, true])
    func `an answer that comes during the upload is the answer`(farewell: Farewell, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            .smallWindow, tls: isSecure ? authority.issue() : nil,
            onHead: { _, request in
                guard request.method == "PUT" else { return [] }
                // A reset destroys what the client has not taken in yet, so it waits until the client has.
                return [.receive(8192), .respond(status: 413, body: "too large"), .hold] + farewell.steps
            }
        ) { _, _ in [.ok("answer")] }
        let session = try Session.trusting(authority)
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin, method: "PUT", body: Self.body(16 << 20)), delegate: delegate)
            .resume()
        if farewell == .staysOpen { try origin.release() }
        let record = await delegate.end()
        try origin.release()
        #expect(record.error == nil)
        #expect(record.events.first == .head(413))
        #expect(record.body == Array("too large".utf8))
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: [false, true])
    func `an answer followed by close at once is the answer, if it arrives at all`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            .smallWindow, tls: isSecure ? authority.issue() : nil,
            onHead: { _, _ in [.receive(8192), .respond(status: 413, body: "too large"), .close] }
        ) { _, _ in [] }
        let session = try Session.trusting(authority)
        var answers = 0
        // Whether one arrives is for the machine to say, and none of two hundred would be ours.
        for round in 0..<200 where round < 10 || answers == 0 {
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin, method: "PUT", body: Self.body(8 << 20)), delegate: delegate)
                .resume()
            let record = await delegate.end()
            // Bytes that the client still sends make the server's kernel reset the connection.
            if record.error == nil { answers += 1 } else { #expect(record.error?.reason.isConnectionLoss == true) }
        }
        #expect(answers > 0)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [false, true]) func `a server that resets an upload is an error`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            .smallWindow, tls: isSecure ? authority.issue() : nil, onHead: { _, _ in [.receive(8192), .reset] }
        ) { _, _ in [] }
        let session = try Session.trusting(authority)
        for _ in 0..<10 {
            let error = await session.failure(of: try URLRequest(origin, method: "PUT", body: Self.body(8 << 20)))
            #expect(error?.reason.isConnectionLoss == true)
            #expect(error?.wasSent == true)
            #expect(error?.phase == .head)
        }
        #expect(origin.connectionCount == 10)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
