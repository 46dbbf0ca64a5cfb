// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Wherever a request is, cancelling it ends it at once, reaches the socket, and harms no other.
@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    struct Part: Sendable {
        let text: String
        let phase: SessionError.Phase
    }

    /// Cancels `request` when `isThere` says that it is where it should be, and checks that it ends at once. Returns
    /// the error.
    private func cancel(
        _ request: URLRequest, in session: Session, when isThere: (RecordingDelegate) async throws -> Bool
    ) async throws -> SessionError {
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(try await isThere(delegate))
        let start = ContinuousClock.now
        task.cancel()
        let record = await delegate.end()
        let error = try #require(record.error)
        // Far below every limit, and far above what a busy machine needs.
        #expect(record.end - start < .seconds(3))
        #expect(error.reason.isCancellation)
        #expect(delegate.record.completions == 1)
        return error
    }

    @Test func `while it waits for a connection`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/first" ? [.hold, .ok()] : [.ok("answer")] }
        let session = Session.limited()
        async let first = session.data(for: URLRequest(origin, "/first"))
        #expect(await origin.waitFor { $0.requestCount == 1 })
        for _ in 0..<100 {
            let error = try await cancel(URLRequest(origin, "/waiting"), in: session) { _ in
                await session.settle()
                return true
            }
            #expect(error.phase == .pool || error.phase == .request)
            #expect(!error.wasSent)
        }
        try origin.release()
        _ = try await first
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.requests.map(\.target) == ["/first", "/"])
        #expect(origin.connectionCount == 1)
    }

    @Test func `while its host is looked up or connected to`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited()
        let request = try URLRequest(origin, host: "localhost")
        for round in 0..<200 {
            let fetch = Task { await session.failure(of: request) }
            for _ in 0..<round % 10 { await session.settle() }
            fetch.cancel()
            let error = await fetch.value
            #expect(error == nil || error?.reason.isCancellation == true)
        }
        #expect(try await session.text(request) == "answer")
    }

    @Test func `while the server lets it wait for a connection`() async throws {
        let hole = try BlackHole()
        let before = ClientSockets.countConnecting(to: hole.port)
        let request = URLRequest(url: try #require(URL(string: hole.url)))
        let session = Session.limited { $0.timeouts.connect = .seconds(120) }
        for _ in 0..<20 {
            let error = try await cancel(request, in: session) { _ in
                await session.settle()
                await session.settle()
                return true
            }
            #expect(!error.wasSent)
        }
        // Those that fill the backlog are left.
        #expect(ClientSockets.countConnecting(to: hole.port) <= before)
    }

    /// Where a handshake calls code that may cancel it.
    enum Call: CaseIterable, Sendable { case manager, customEvaluation, composite, reaffirmation }

    /// Looks nothing up, and reports to its owner that it was called.
    private final class AskedManager: ServerTrustPolicyManager, @unchecked Sendable {
        private let onQuestion: @Sendable () -> Void

        init(onQuestion: @escaping @Sendable () -> Void) {
            self.onQuestion = onQuestion
            super.init(policies: [:])
        }

        override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
            onQuestion()
            return nil
        }
    }

    @Test(arguments: Call.allCases, [false, true])
    func `by a delegate that is asked during its handshake`(_ call: Call, dropsSession: Bool) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"]))
        // Not a word from the server to a client that should have given up before it connected.
        let mute = call == .manager ? 1 : call == .reaffirmation ? 2 : 0
        let origin = try ScriptedOrigin(tls: identity, onAccept: { $0 == mute ? [.awaitClose] : [] }) { _, _ in
            [.ok(), .close]
        }
        let holder = SessionHolder(Session.limited())
        let task = Lock<SessionTask?>(nil)
        // The session holds the policy, which holds both.
        defer {
            task.withLock { $0 = nil }
            holder.drop()
        }
        let isArmed = Atomic(call != .reaffirmation)
        let giveUp: @Sendable () -> Void = {
            guard isArmed.load(ordering: .relaxed) else { return }
            if dropsSession { holder.drop() } else { task.withLock { $0 }?.cancel() }
        }
        let custom = ServerTrustPolicy.customEvaluation { _, _ in
            giveUp()
            return true
        }
        let policy: ServerTrustPolicy =
            switch call {
            case .manager: .performDefaultEvaluation(validateHost: true)
            case .customEvaluation, .reaffirmation: custom
            case .composite: .composite([custom, .disableEvaluation])
            }
        holder.replace(by: try Session.trusting(authority, policies: ["127.0.0.1": policy]))
        if call == .manager { holder.session?.serverTrustPolicyManager = AskedManager(onQuestion: giveUp) }
        let request = try URLRequest(origin, host: "127.0.0.1")
        if call == .reaffirmation {
            _ = try await holder.session?.data(for: request)
            #expect(await origin.waitFor { $0.openConnections == 0 })
            isArmed.store(true, ordering: .relaxed)
        }
        let delegate = RecordingDelegate()
        let started = try #require(holder.session?.dataTask(with: request, delegate: delegate))
        task.withLock { $0 = started }
        started.resume()
        let reason = try #require(await delegate.end().error?.reason)
        #expect(dropsSession ? reason.isInvalidation : reason.isCancellation)
        #expect(delegate.record.completions == 1)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.requests.count == (call == .reaffirmation ? 1 : 0))
    }

    @Test(arguments: [false, true])
    func `by a key log, when keys are changed in mid-response`(dropsSession: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: try authority.issue(), tlsOptions: .only(.tls13)) { _, _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nhalf"), .updateKeys, .send("more"), .awaitClose]
        }
        let holder = SessionHolder(Session.limited())
        let task = Lock<SessionTask?>(nil)
        defer {
            task.withLock { $0 = nil }
            holder.drop()
        }
        let count = Atomic(0)
        holder.replace(
            by: try Session.trusting(authority) {
                $0.tls.keyLog = TLSKeyLog { line in
                    // The second secret of a side is the one that follows an update.
                    guard line.hasPrefix("SERVER_TRAFFIC_SECRET"), count.add(1, ordering: .relaxed).newValue == 2 else {
                        return
                    }
                    if dropsSession { holder.drop() } else { task.withLock { $0 }?.cancel() }
                }
            })
        let delegate = RecordingDelegate()
        let started = try #require(holder.session?.dataTask(with: URLRequest(origin), delegate: delegate))
        task.withLock { $0 = started }
        started.resume()
        let reason = try #require(await delegate.end().error?.reason)
        #expect(dropsSession ? reason.isInvalidation : reason.isCancellation)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `while the server holds the handshake`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            tls: authority.issue(), onAccept: { $0 <= 5 ? [.receive(1), .hold] : [] }
        ) { _, _ in [.ok("answer")] }
        let session = try Session.trusting(authority)
        for count in 1...5 {
            let error = try await cancel(URLRequest(origin), in: session) { _ in
                await origin.waitFor { $0.connectionCount == count && $0.bytesReceived > 0 }
            }
            #expect(!error.wasSent)
            #expect(await origin.waitFor { $0.openConnections == 0 })
        }
        #expect(ClientSockets.count(to: origin.port) == 0)
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 6)
    }

    @Test(arguments: [false, true]) func `while the server does not read its body`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            .smallWindow, tls: isSecure ? authority.issue() : nil,
            onHead: { _, request in request.method == "PUT" ? [.hold] : [] }
        ) { _, _ in [.ok("answer")] }
        let session = try Session.trusting(authority)
        let body = Data(repeating: 1, count: 16 << 20)
        for count in 1...5 {
            let error = try await cancel(URLRequest(origin, method: "PUT", body: body), in: session) { _ in
                await origin.waitFor { $0.headCount == count }
            }
            #expect(error.phase == .head)
            #expect(error.wasSent)
            #expect(await origin.waitFor { $0.openConnections == 0 })
        }
        #expect(ClientSockets.count(to: origin.port) == 0)
        #expect(try await session.text(URLRequest(origin)) == "answer")
    }

    @Test(
        arguments: [
            Part(text: "", phase: .head), Part(text: "HTTP/1.1 200 OK\r\nContent-Le", phase: .head),
            Part(text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", phase: .body),
            Part(text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", phase: .body),
        ], [false, true])
    func `while its response comes`(_ part: Part, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            request.target == "/good" ? [.ok("answer")] : [.send(part.text), .hold]
        }
        let session = try Session.trusting(authority)
        for count in 1...5 {
            let error = try await cancel(URLRequest(origin), in: session) { delegate in
                let hasCome = await origin.waitFor { $0.requestCount == count }
                if part.phase == .body { await delegate.wait { $0.body.count == 4 } }
                return hasCome
            }
            #expect(error.phase == part.phase)
            #expect(error.wasSent)
            #expect(error.remoteAddress?.port == origin.port)
            #expect(await origin.waitFor { $0.openConnections == 0 })
        }
        #expect(ClientSockets.count(to: origin.port) == 0)
        #expect(try await session.text(URLRequest(origin, "/good")) == "answer")
    }

    @Test func `at random moments, a thousand times`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nans"), .pause(.microseconds(request.index * 100)),
                .send("wer"),
            ]
        }
        let session = Session.limited(to: 4)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(worker))
                    for _ in 0..<125 {
                        let fetch = Task { try await session.text(URLRequest(origin)) }
                        for _ in 0..<Int.random(in: 0..<12, using: &generator) { await session.settle() }
                        fetch.cancel()
                        switch await fetch.result {
                        case .success(let text): #expect(text == "answer")
                        case .failure(let error): #expect((error as? SessionError)?.reason.isCancellation == true)
                        }
                    }
                }
            }
        }
        #expect(try await session.text(URLRequest(origin)) == "answer")
        #expect(ClientSockets.count(to: origin.port) <= 4)
    }
}
