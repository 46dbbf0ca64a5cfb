// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import Glibc
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernTLS

/// Handshakes whose servers take long to evaluate: they wait in a queue, and no other connection waits with them.
@Suite(.timeLimit(.minutes(1)), .serialized) struct HeldHandshakeTests {
    private let authority: CertificateAuthority
    private let leaf: Identity

    init() throws {
        authority = try CertificateAuthority()
        leaf = try authority.issue(LeafRequest(dnsNames: ["localhost"] + (0..<3000).map { "\($0).test" }))
    }

    /// Everything that runs evaluations, kept busy until it is released.
    private final class Jam: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let count = 4

        /// How many of the jam wait themselves, on this machine.
        let others: Int

        init() async {
            let line = EvaluationQueue.shared
            while line.runningCount + line.waitingCount > 0 { await Task.yield() }
            others = count - min(line.width, count)
            for _ in 0..<count {
                let trust = ServerTrust(sentChain: [])
                let pending = PendingEvaluation(PolicyEvaluation(trust: trust, host: nil), of: .disableEvaluation)
                _ = EvaluationQueue.shared.run(pending) { [semaphore] _ in semaphore.wait() }
            }
        }

        func release() { for _ in 0..<count { semaphore.signal() } }

        /// Waits until as many evaluations wait behind the jam.
        func waitForLine(of expected: Int) async {
            let line = EvaluationQueue.shared
            while line.waitingCount != expected + others { await Task.yield() }
        }
    }

    private static let versions: [ScriptedOrigin.TLSOptions] = [.only(.tls12), .only(.tls13)]

    @Test(arguments: versions)
    func `a server with thousands of names is evaluated, and answers`(options: ScriptedOrigin.TLSOptions) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        let session = try Session.trusting(authority)
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "well") }
        let other = try Session.trusting(CertificateAuthority())
        #expect(await other.failure(of: try URLRequest(origin))?.reason.trustFailure?.rule == "missing-issuer")
    }

    @Test func `while one is evaluated others are served`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("slow"), .close] }
        let other = try ScriptedOrigin { _, _ in [.ok("quick"), .close] }
        let session = try Session.trusting(authority)
        let jam = await Jam()
        async let slow = session.text(URLRequest(origin))
        await jam.waitForLine(of: 1)
        #expect(try await session.text(URLRequest(other)) == "quick")
        jam.release()
        #expect(try await slow == "slow")
    }

    @Test func `a request that is cancelled meanwhile ends, and leaves the line`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("never")] }
        let session = try Session.trusting(authority)
        let jam = await Jam()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        await jam.waitForLine(of: 1)
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        await jam.waitForLine(of: 0)
        jam.release()
        #expect(origin.requests.isEmpty)
    }

    @Test func `the time limit for connecting counts meanwhile`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("never")] }
        let jam = await Jam()
        try await BriefLimit.expect(Optional(SessionError.Phase.tls)) { limit in
            let session = try Session.trusting(authority) { $0.timeouts.connect = limit }
            let error = await session.failure(of: try URLRequest(origin))
            return error?.reason.limit == .connect ? error?.phase : nil
        }
        await jam.waitForLine(of: 0)
        jam.release()
    }

    @Test func `a session that is dropped meanwhile leaves nothing behind`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("never")] }
        let jam = await Jam()
        let holder = SessionHolder(try Session.trusting(authority))
        let delegate = RecordingDelegate()
        holder.session?.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        await jam.waitForLine(of: 1)
        holder.drop()
        #expect(await delegate.end().error != nil)
        await jam.waitForLine(of: 0)
        jam.release()
        #expect(delegate.record.completions == 1)
    }

    @Test func `a policy of the user's stays on the reactor`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("well"), .close] }
        let threads = Lock<[pthread_t]>([])
        let policy = ServerTrustPolicy.composite([
            .performDefaultEvaluation(validateHost: true),
            .customEvaluation { _, _ in
                threads.withLock { $0.append(pthread_self()) }
                return true
            },
        ])
        let session = try Session.trusting(authority, policies: ["localhost": policy])
        let delegate = ThreadDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let reactor = await delegate.end()
        #expect(threads.withLock { $0 } == [reactor])
    }
}

/// Returns the thread on which a task ended: its session's reactor.
private final class ThreadDelegate: SessionTaskDelegate {
    private let (thread, found) = AsyncStream.makeStream(of: pthread_t.self)

    func end() async -> pthread_t? {
        for await thread in thread { return thread }
        return nil
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) { found.yield(pthread_self()) }
}
