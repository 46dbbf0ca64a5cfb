// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

/// Policies that change while a session is at work.
@Suite struct TrustSwapTests {
    private let authority: CertificateAuthority
    private let identity: Identity

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issue()
    }

    private func pins(_ pin: String) throws -> ServerTrustPolicyManager {
        ServerTrustPolicyManager(policies: [
            "localhost": .pinSet(PinSet(pins: [try X509Certificate.PublicKey(pin: pin)]))
        ])
    }

    private func rightPins() throws -> ServerTrustPolicyManager { try pins(identity.pin) }
    private func wrongPins() throws -> ServerTrustPolicyManager { try pins(try CertificateAuthority().pin) }

    @Test func `an earlier idle connection is closed, and the next request's server is evaluated again`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = try rightPins()
        _ = try await session.data(for: URLRequest(origin))
        session.serverTrustPolicyManager = try wrongPins()
        #expect(await origin.waitFor { $0.openConnections == 0 })
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.rule == "key-not-pinned")
        session.serverTrustPolicyManager = nil
        _ = try await session.data(for: URLRequest(origin))
        #expect(origin.observations.requestCount == 2)
        #expect(origin.connectionCount >= 2)
    }

    @Test func `the profile comes with the policies, and no session is resumed under another one`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        for _ in 1...2 {
            session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [:])
            _ = try await session.data(for: URLRequest(origin))
            session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [:], profile: .web)
            let error = await session.failure(of: try URLRequest(origin))
            #expect(error?.reason.rule == "common-name")
        }
        #expect(origin.observations.requestCount == 2)
    }

    @Test func `the depth of paths comes with the policies, and no session is resumed under another one`() async throws
    {
        let origin = try ScriptedOrigin(tls: authority.issueIntermediate().issue()) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        for _ in 1...2 {
            session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [:], maximumPathDepth: 1)
            _ = try await session.data(for: URLRequest(origin))
            session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [:], maximumPathDepth: 0)
            let error = await session.failure(of: try URLRequest(origin))
            #expect(error?.reason.rule == "chain-too-long")
        }
        #expect(origin.observations.requestCount == 2)
    }

    @Test func `a swap of policies does not concern a plain connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin))
        session.serverTrustPolicyManager = try wrongPins()
        _ = try await session.data(for: URLRequest(origin))
        #expect(origin.connectionCount == 1)
    }

    @Test func `a running request finishes on its connection, which then carries no other`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, request in
            request.target == "/slow" ? [.hold, .ok("done")] : [.ok()]
        }
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = try rightPins()
        async let slow = session.text(try URLRequest(origin, "/slow"))
        #expect(await origin.waitFor { $0.headCount == 1 })
        // Waits for the one connection there may be.
        async let waiting = session.failure(of: try URLRequest(origin, "/waiting"))
        await session.settle()
        session.serverTrustPolicyManager = try wrongPins()
        try origin.release()
        #expect(try await slow == "done")
        let refused = try await waiting
        #expect(refused?.reason.rule == "key-not-pinned")
        #expect(origin.requests.map(\.target) == ["/slow"])
    }

    @Test func `the server of a running handshake is evaluated again`() async throws {
        let session = try Session.trusting(authority)
        let (identity, wrong) = (identity, try wrongPins())
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let evaluations = Lock(0)
        // The policies change in the middle of the handshake that they accept.
        session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [
            "localhost": .customEvaluation { [weak session] _, _ in
                evaluations.withLock { $0 += 1 }
                session?.serverTrustPolicyManager = wrong
                return true
            }
        ])
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.rule == "key-not-pinned")
        #expect(evaluations.withLock { $0 } == 1)
        #expect(origin.requests.isEmpty)
    }

    /// What the tasks of a load share.
    private final class Load: Sendable {
        let isSwapped = Atomic<Bool>(false)
        let isOver = Atomic<Bool>(false)
        let answered = Atomic<Int>(0)
        let wronglyAnswered = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `under load, no request that is started after the swap travels on the old pins`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let session = try Session.trusting(authority, connections: 8) { $0.reactorCount = 2 }
        let (right, wrong) = (try rightPins(), try wrongPins())
        for _ in 0..<5 {
            session.serverTrustPolicyManager = right
            let load = Load()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 { group.addTask { try await ask(origin, session, load) } }
                let before = origin.observations.requestCount
                #expect(await origin.waitFor { $0.requestCount >= before + 200 })
                session.serverTrustPolicyManager = wrong
                load.isSwapped.store(true, ordering: .releasing)
                while load.refused.load(ordering: .relaxed) < 100 { await session.settle() }
                load.isOver.store(true, ordering: .releasing)
                try await group.waitForAll()
            }
            #expect(load.answered.load(ordering: .relaxed) > 0)
            #expect(load.wronglyAnswered.load(ordering: .relaxed) == 0)
        }
        #expect(!origin.requests.contains { $0.target == "/after" })
        session.serverTrustPolicyManager = right
        _ = try await session.data(for: URLRequest(origin))
    }

    /// Asks over and over; a request knows whether the swap had returned when it was made.
    private func ask(_ origin: ScriptedOrigin, _ session: Session, _ load: Load) async throws {
        while !load.isOver.load(ordering: .acquiring) {
            let isAfter = load.isSwapped.load(ordering: .acquiring)
            let error = await session.failure(of: try URLRequest(origin, isAfter ? "/after" : "/before"))
            switch (error, isAfter) {
            case (nil, false): load.answered.add(1, ordering: .relaxed)
            case (nil, true): load.wronglyAnswered.add(1, ordering: .relaxed)
            case (_?, _): load.refused.add(1, ordering: .relaxed)
            }
        }
    }

    @Test func `settings of one moment are those of origins and proxies, and their generation comes last`() throws {
        let first = TrustSettings(tls: TLSSettings(), policies: nil)
        let cell = TrustCell(origins: first, proxies: first)
        let beside = TrustCell(origins: first, proxiesOf: cell)
        let generation = beside.generation
        let policies = ServerTrustPolicyManager(policies: [:])
        cell.replace { origins, proxies in
            #expect(cell.generation == generation)
            (origins, proxies) = (origins.replacing(policies: policies), proxies.replacing(policies: policies))
        }
        #expect(cell.value.origins.manager === policies && cell.value.proxies.manager === policies)
        #expect(beside.value.origins === first && beside.value.proxies.manager === policies)
        #expect(beside.value.generation == generation + 1 && cell.generation == generation + 1)
    }

    @Test func `other policies have the same context, and equal settings are not made again`() async throws {
        var other = TLSSettings()
        other.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        let first = TrustSettings(tls: TLSSettings(), policies: nil)
        let settings = first.replacing(by: try #require(try first.replacement(by: other)))
        #expect(first.readyContext == nil && settings.readyContext?.configuration == other)
        let isChanged = try settings.replacement(by: other) != nil
        #expect(!isChanged)
        let policed = settings.replacing(policies: ServerTrustPolicyManager(policies: [:]))
        #expect(policed.readyContext === settings.readyContext)
        let (contexts, continuation) = AsyncStream<TLSContext?>.makeStream()
        for _ in 0..<2 { first.context { continuation.yield(try? $0.get()) } }
        var made: [TLSContext?] = []
        for await context in contexts.prefix(2) { made.append(context) }
        #expect(made[0] != nil && made[0] === made[1] && first.readyContext === made[0])
    }

    /// What was read from files of anchors and pins.
    private func material(
        _ anchors: [CertificateAuthority], _ pinned: String, in folder: TestFolder
    ) throws -> TrustMaterial {
        var paths = TrustFilePaths()
        paths.anchors = .only(folder.url("anchors.pem"))
        paths.policy = folder.url("policy.json")
        try Data(anchors.map(\.certificatePEM).joined(separator: "\n").utf8).write(to: folder.url("anchors.pem"))
        // With this many hosts it takes long to make the policies.
        let hosts = (0..<20_000).map { "\"h\($0).test\"" }.joined(separator: ",")
        try Data(
            #"{"pinSets": [{"hosts": ["localhost", \#(hosts)], "pins": ["\#(pinned)"]}]}"#.utf8
        ).write(to: folder.url("policy.json"))
        let parts = paths.parts
        var material = TrustMaterial(of: parts)
        for part in parts { _ = try material.read(part) }
        return material
    }

    @Test(.timeLimit(.minutes(1)))
    func `a server that the old trust and the new refuse is not answered while several files change at once`()
        async throws
    {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let (other, folder) = (try CertificateAuthority(), try TestFolder())
        let old = try material([other], identity.pin, in: folder)
        let new = try material([other, authority], other.pin, in: folder)
        let session = try Session.trusting(other, connections: 16) { $0.reactorCount = 2 }
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { try await ask(origin, session, load) } }
            for _ in 0..<5 {
                for material in [old, new] {
                    try session.replaceTrust(with: material, changed: [.anchors, .policy])
                    let before = load.refused.load(ordering: .relaxed)
                    while load.refused.load(ordering: .relaxed) < before + 32 { await session.settle() }
                }
            }
            load.isOver.store(true, ordering: .releasing)
            try await group.waitForAll()
        }
        #expect(load.answered.load(ordering: .relaxed) == 0)
        #expect(origin.requests.isEmpty)
    }

    @Test func `a host without a policy is refused before anything is sent if every host must have one`()
        async throws
    {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = ServerTrustPolicyManager(policies: [:], allHostsMustBeEvaluated: true)
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.rule == "no-required-evaluator")
        #expect(error.map { "\($0)".contains("localhost") } == true)
        #expect(origin.connectionCount == 0)
    }
}
