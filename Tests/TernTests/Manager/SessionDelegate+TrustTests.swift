// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

/// The policies evaluate a server, and closures, subclasses and blocks are asked about their verdict.
@Suite(.timeLimit(.minutes(2))) struct SessionDelegateTrustTests {
    private let scene: TrustScene
    private let journal = Journal()

    init() throws { scene = try TrustScene() }

    /// A subclass that overrides nothing.
    private final class EmptyHub: SessionDelegate, @unchecked Sendable {}

    private func expect(
        _ result: TrustScene.Result, for line: TrustScene.Line, refusedBy rule: String?, _ comment: String
    ) {
        #expect(result.outcome.rule == rule, "\(line.name), \(comment)")
        #expect(result.questions == line.questions, "\(line.name), \(comment)")
        #expect(result.reports == line.reports, "\(line.name), \(comment)")
        if rule == nil, line.rule == nil {
            #expect(result.outcome.connection?.publicKeyPins.count == line.pins, "\(line.name), \(comment)")
        }
    }

    @Test(.proves("6.1d", "6.3b", "13.5b"), arguments: [false, true])
    func `a hub without closures leaves it to the policies, and so does an empty subclass`(isSubclass: Bool)
        async throws
    {
        for line in scene.lines {
            let result = try await scene.result(of: line) { policies in
                await TrustLayer.outcome(
                    scene.origin.url(),
                    SessionManager(
                        configuration: scene.configuration, delegate: isSubclass ? EmptyHub() : SessionDelegate(),
                        serverTrustPolicyManager: policies))
            }
            expect(result, for: line, refusedBy: line.rule, "\(isSubclass)")
        }
    }

    @Test(.proves("3.4b", "5.6a"), arguments: TrustLayer.allCases)
    func `a layer that answers by default leaves it to the policies, and sees their verdict`(layer: TrustLayer)
        async throws
    {
        for line in scene.lines {
            for isLate in layer.mayBeLate ? [false, true] : [false] {
                let seen = Journal()
                let result = try await scene.result(of: line) { policies in
                    await layer.outcome(scene.origin.url(), scene.configuration, policies, isLate: isLate) {
                        challenge in
                        let space = challenge.protectionSpace
                        seen.note("\(space.host) \(challenge.verdict?.failure?.rule ?? "accepted")")
                        return (.performDefaultHandling, nil)
                    }
                }
                expect(result, for: line, refusedBy: line.rule, "late: \(isLate)")
                #expect(seen.entries == ["localhost \(line.rule ?? "accepted")"], "\(line.name)")
                #expect(result.outcome.connection?.overriddenTrustFailure == nil)
            }
        }
    }

    @Test(.proves("3.5b", "6.1a"), arguments: TrustLayer.allCases)
    func `a layer that accepts overrides the policies, and the metrics say so`(layer: TrustLayer) async throws {
        for line in scene.lines {
            let result = try await scene.result(of: line) { policies in
                await layer.outcome(scene.origin.url(), scene.configuration, policies, isLate: layer.mayBeLate) {
                    challenge in
                    (.useCredential, challenge.protectionSpace.serverTrust.map { Credential(trust: $0) })
                }
            }
            expect(result, for: line, refusedBy: nil, "accepted")
            #expect(result.outcome.connection?.overriddenTrustFailure?.rule == line.rule, "\(line.name)")
        }
    }

    @Test(.proves("1.17c", "1.17d", "3.4b", "6.1a"), arguments: TrustLayer.allCases)
    func `a layer that cancels refuses, and nothing reaches the server`(layer: TrustLayer) async throws {
        for line in scene.lines {
            for answer in [ChallengeDisposition.cancelAuthenticationChallenge, .rejectProtectionSpace] {
                // The responder is asked once, whichever layer asks.
                let result = try await scene.result(of: line) { policies in
                    await layer.outcome(scene.origin.url(), scene.configuration, policies) { _ in (answer, nil) }
                }
                expect(result, for: line, refusedBy: line.rule ?? "delegate", "\(answer)")
                if line.rule == nil { #expect(result.outcome.error?.code == .cancelled, "\(line.name)") }
            }
        }
        #expect(scene.origin.requests.isEmpty)
    }

    @Test(arguments: TrustLayer.allCases, TrustLayer.Kind.allCases)
    func `every kind of request asks the layer, which may accept and refuse`(layer: TrustLayer, kind: TrustLayer.Kind)
        async throws
    {
        for line in scene.lines where line.name == "wrong key" || line.name == "default" {
            for accepts in [true, false] {
                let seen = Journal()
                let result = try await scene.result(of: line) { policies in
                    await layer.outcome(scene.origin.url(), scene.configuration, policies, kind: kind) { challenge in
                        seen.note("asked")
                        return accepts
                            ? (.useCredential, challenge.protectionSpace.serverTrust.map { Credential(trust: $0) })
                            : (.cancelAuthenticationChallenge, nil)
                    }
                }
                #expect(result.outcome.rule == (accepts ? nil : line.rule ?? "delegate"), "\(line.name)")
                #expect(seen.entries == ["asked"], "\(line.name)")
            }
        }
    }

    @Test(arguments: TrustLayer.allCases)
    func `a credential that trusts no server is no acceptance`(layer: TrustLayer) async throws {
        let line = try #require(scene.lines.first { $0.name == "wrong key" })
        for credential in [nil, Credential(user: "a", password: "b", persistence: .none)] {
            let result = try await scene.result(of: line) { policies in
                await layer.outcome(scene.origin.url(), scene.configuration, policies) { _ in
                    (.useCredential, credential)
                }
            }
            #expect(result.outcome.rule == "key-not-pinned")
        }
    }

    @Test(.proves("13.5b"), arguments: TrustLayer.allCases)
    func `a layer that evaluates by the manager's own policy refuses a revoked server`(layer: TrustLayer) async throws {
        for line in scene.lines {
            let result = try await scene.result(of: line) { policies in
                await layer.outcome(scene.origin.url(), scene.configuration, policies) { challenge in
                    let host = challenge.protectionSpace.host
                    guard let serverTrust = challenge.protectionSpace.serverTrust,
                        let serverTrustPolicy = policies.serverTrustPolicy(forHost: host)
                    else { return (.performDefaultHandling, nil) }
                    if serverTrustPolicy.evaluate(serverTrust, forHost: host) {
                        return (.useCredential, Credential(trust: serverTrust))
                    }
                    return (.cancelAuthenticationChallenge, nil)
                }
            }
            expect(result, for: line, refusedBy: line.rule, "evaluated")
        }
    }

    @Test func `a closure whose own policy asks for more than the manager's refuses, until it has fetched that`()
        async throws
    {
        let policy = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp])
        let line = try #require(scene.lines.first { $0.name == "default" })
        for status in [RevocationStatus.good, .revoked(at: 1_700_000_000)] {
            var line = line
            line.status = status
            let seen = Journal()
            let result = try await scene.result(of: line) { policies in
                let manager = SessionManager(
                    configuration: scene.configuration, serverTrustPolicyManager: policies)
                manager.delegate.sessionDidReceiveChallengeWithCompletion = { _, challenge, completion in
                    guard let trust = challenge.protectionSpace.serverTrust else { return }
                    seen.note(policy.evaluate(trust, host: "localhost").rule)
                    Task {
                        let fetched = await trust.fetchingRevocation(for: policy)
                        seen.note(policy.evaluate(fetched, host: "localhost").rule)
                        let isAccepted = policy.evaluate(fetched, forHost: "localhost")
                        completion(isAccepted ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
                    }
                }
                return await TrustLayer.outcome(scene.origin.url(), manager)
            }
            #expect(seen.entries == ["revocation-not-asked", status == .good ? "accepted" : "revoked"])
            #expect(result.outcome.rule == (status == .good ? nil : "delegate"))
            #expect(result.questions == 1)
        }
    }

    @Test(.proves("3.3b", "6.3a")) func `the session's closure comes first, the hub's before the request's own`()
        async throws
    {
        let manager = SessionManager(configuration: scene.configuration)
        func asked() async -> [String] {
            let seen = Journal()
            func note(_ name: String) -> (ChallengeDisposition, Credential?) {
                seen.note(name)
                return (.performDefaultHandling, nil)
            }
            let outcome = await TrustLayer.outcome(scene.origin.url(), manager) { request in
                manager.delegate.sessionDidReceiveChallenge = { _, _ in
                    seen.note("session")
                    return (.performDefaultHandling, nil)
                }
                request.delegate.taskDidReceiveChallenge = { _, _, _ in
                    seen.note("request")
                    return (.performDefaultHandling, nil)
                }
            }
            #expect(outcome.error == nil)
            return seen.entries
        }
        #expect(await asked() == ["session", "request"])
        manager.delegate.taskDidReceiveChallenge = { [journal] _, _, _ in
            journal.note("hub")
            return (.performDefaultHandling, nil)
        }
        #expect(await asked() == ["session"])
        #expect(journal.entries == ["hub"])
    }

    @Test func `no connection of before serves once a closure is set, replaced or taken away`() async throws {
        let manager = SessionManager(configuration: scene.configuration)
        let request = { [scene] in await TrustLayer.outcome(scene.origin.url(), manager) }
        #expect(await request().error == nil)
        #expect(await request().error == nil)
        #expect(scene.origin.connectionCount == 1)
        manager.delegate.sessionDidReceiveChallenge = { _, _ in (.performDefaultHandling, nil) }
        #expect(await request().error == nil)
        manager.delegate.sessionDidReceiveChallenge = { _, _ in (.cancelAuthenticationChallenge, nil) }
        #expect(await request().rule == "delegate")
        manager.delegate.sessionDidReceiveChallenge = nil
        #expect(await request().error == nil)
        manager.delegate.taskDidReceiveChallenge = { _, _, _ in (.cancelAuthenticationChallenge, nil) }
        #expect(await request().rule == "delegate")
        #expect(scene.origin.observations.requestCount == 4)
    }

    @Test func `a closure that takes its time delays no request of another manager`() async throws {
        let (slow, other) = (SessionManager(configuration: scene.configuration), SessionManager())
        let neighbour = try ScriptedOrigin { _, _ in [.ok("quick")] }
        let isServed = DispatchSemaphore(value: 0)
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        slow.delegate.sessionDidReceiveChallenge = { [journal] _, _ in
            continuation.yield()
            // Were this the neighbour's thread, it would wait for itself.
            journal.note("\(isServed.wait(timeout: .now() + 20) == .success)")
            return (.performDefaultHandling, nil)
        }
        async let waiting = TrustLayer.outcome(scene.origin.url(), slow)
        _ = await begun.first { _ in true }
        // Some on each reactor.
        for _ in 0..<2 * max(1, other.session.executors.count) {
            #expect(await TrustLayer.outcome(neighbour.url(), other).error == nil)
        }
        isServed.signal()
        #expect(await waiting.error == nil)
        #expect(journal.entries == ["true"])
    }

    @Test func `a challenge without an answer ends the request with a limit of its own`() async throws {
        var configuration = scene.configuration
        configuration.challengeTimeout = .milliseconds(100)
        let manager = SessionManager(configuration: configuration)
        manager.delegate.sessionDidReceiveChallengeWithCompletion = { _, _, _ in }
        let outcome = await TrustLayer.outcome(scene.origin.url(), manager)
        #expect(outcome.rule == "session-challenge")
        #expect(outcome.error?.code == .timedOut)
    }

    @Test func `streams that are secured ask the closures too`() async throws {
        let manager = SessionManager(configuration: scene.configuration)
        manager.delegate.taskDidReceiveChallenge = { [journal] _, _, challenge in
            journal.note(challenge.protectionSpace.host)
            return (.cancelAuthenticationChallenge, nil)
        }
        let request = manager.stream(withHostName: "localhost", port: Int(scene.origin.port))
        let stream = try #require(request.streamTask)
        stream.startSecureConnection()
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<(any Error)?, Never>) in
            stream.readData(ofMinLength: 1, maxLength: 1, timeout: .seconds(20)) { continuation.resume(returning: $2) }
        }
        #expect((error as? SessionError)?.reason.rule == "delegate")
        #expect(journal.entries == ["localhost"])
    }
}
