// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernIO
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

extension Processes {
    /// What sessions leave behind, counted where nothing else runs.
    @Suite struct SessionChurnTests {
        @Test func `ten thousand requests over 64 connections leave nothing behind`() async {
            await #expect(processExitsWith: .success) { try await Churn.manyRequests(10_000, connections: 64) }
        }

        @Test func `a thousand sessions leave nothing behind`() async {
            await #expect(processExitsWith: .success) { try await Churn.manySessions(1000) }
        }

        @Test func `sessions dropped with requests in flight leave nothing behind`() async {
            await #expect(processExitsWith: .success) { try await Churn.droppedSessions() }
        }

        @Test func `a task that is never started keeps no thread alive, whatever its session has reported`() async {
            await #expect(processExitsWith: .success) { try await Churn.forgottenTask() }
        }

        @Test func `sessions dropped at the end of a task that had no connection leave nothing behind`() async {
            await #expect(processExitsWith: .success) { try await Churn.sessionsDroppedByTheirTasks() }
        }

        @Test(.proves("14.12b"))
        func `idle connections of all sessions go before a connection fails for want of a descriptor`() async {
            await #expect(processExitsWith: .success) { try await Churn.noDescriptorButIdleConnections() }
        }

        @Test func `a process without descriptors to spare gets errors, and recovers`() async {
            await #expect(processExitsWith: .success) { try await Churn.fewDescriptors() }
        }
    }
}

/// Bodies of processes: they look at the whole process, in which nothing else runs.
enum Churn {
    /// What there is before the first session. The Swift runtime opens descriptors of its own for its first timer.
    private static func baseline(with origin: ScriptedOrigin) async -> Census {
        _ = await origin.waitFor(.milliseconds(1)) { _ in false }
        let baseline = Census.now
        #expect(baseline.threads == 0)
        return baseline
    }

    /// Nothing is left that `baseline` had not. Threads end in their own time.
    private static func expectReturn(to baseline: Census) async {
        #expect(await eventually { Census.now.left(since: baseline).isEmpty }, "\(Census.now.left(since: baseline))")
    }

    static func manyRequests(_ count: Int, connections: Int) async throws {
        var configuration = ScriptedOrigin.Configuration()
        configuration.rememberedRequests = 0
        let origin = try ScriptedOrigin(configuration) { _, _ in [.ok("answer")] }
        let baseline = await baseline(with: origin)
        var session: Session? = .limited(to: connections)
        let request = try URLRequest(origin)
        let answered = await withTaskGroup(of: Int.self) { [session] group in
            for _ in 0..<connections {
                group.addTask {
                    guard let session, let executor = session.executors.first else { return 0 }
                    return await Task(executorPreference: executor) {
                        var answered = 0
                        for _ in 0..<count / connections {
                            let text = try? await session.text(request)
                            if text == "answer" { answered += 1 }
                        }
                        return answered
                    }.value
                }
            }
            return await group.reduce(0, +)
        }
        #expect(answered == count / connections * connections)
        #expect(origin.connectionCount <= connections)
        #expect(!Census.now.left(since: baseline).isEmpty)
        session = nil
        #expect(await origin.waitFor { $0.openConnections == 0 })
        await expectReturn(to: baseline)
    }

    static func manySessions(_ count: Int) async throws {
        let authority = try CertificateAuthority()
        let plain = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let secure = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let baseline = await baseline(with: plain)
        for index in 0..<count {
            let session = try Session.trusting(authority) { $0.reactorCount = index % 2 == 0 ? nil : 1 }
            _ = try await session.data(for: URLRequest(index % 10 == 0 ? secure : plain))
        }
        #expect(await plain.waitFor { $0.openConnections == 0 })
        #expect(await secure.waitFor { $0.openConnections == 0 })
        await expectReturn(to: baseline)
    }

    static func forgottenTask() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let other = try CertificateAuthority()
        let responder = try ScriptedOrigin { _, _ in [.ok()] }
        let collector = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        let set = PinSet(
            hosts: [try HostPattern("localhost")], pins: [try X509Certificate.PublicKey(pin: other.pin)],
            mode: .reportOnly,
            reportURLs: [collector.url()])
        let leaf = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("crlDistributionPoints", "URI:\(responder.url("/list"))")]))
        try origin.present(leaf)
        let revocation = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: .crl)
        var session: Session? = try .trusting(
            authority, policies: ["localhost": .composite([.pinSet(set), revocation])])
        let request = try URLRequest(origin)
        _ = try await session?.data(for: request)
        #expect(await collector.waitFor { $0.requestCount == 1 && $0.openConnections <= 1 })
        #expect(responder.observations.requestCount == 1)
        let forgotten = session?.dataTask(with: request, delegate: RecordingDelegate())
        session = nil
        #expect(await eventually { Census.now.threads == 0 })
        withExtendedLifetime(forgotten) {}
    }

    static func droppedSessions() async throws {
        let authority = try CertificateAuthority()
        let secure = try ScriptedOrigin(
            tls: authority.issue(), onAccept: { $0 % 2 == 0 ? [.receive(1), .hold] : [] }
        ) { _, _ in [.hold] }
        let plain = try ScriptedOrigin(onHead: { _, request in request.method == "PUT" ? [.hold] : [] }) { _, request in
            request.index % 2 == 0 ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold] : [.hold]
        }
        let hole = try BlackHole()
        let nowhere = URLRequest(url: try #require(URL(string: hole.url)))
        let baseline = await baseline(with: plain)
        for round in 0..<20 {
            var session: Session? = try .trusting(authority, connections: 5) {
                $0.reactorCount = round % 3 == 0 ? nil : round % 3
            }
            var delegates: [RecordingDelegate] = []
            for index in 0..<100 {
                let request =
                    switch index % 5 {
                    case 0: try URLRequest(secure)
                    case 1: nowhere
                    case 2: try URLRequest(plain, method: "PUT", body: Data(repeating: 0, count: 1 << 20))
                    case 3: try URLRequest(plain, host: "localhost")
                    default: try URLRequest(plain)
                    }
                let delegate = RecordingDelegate()
                session?.dataTask(with: request, delegate: delegate).resume()
                delegates.append(delegate)
            }
            for _ in 0..<round { await session?.settle() }
            session = nil
            for delegate in delegates {
                let record = await delegate.end()
                #expect(record.error?.reason.isInvalidation == true)
                #expect(record.completions == 1)
            }
        }
        #expect(await plain.waitFor { $0.openConnections == 0 })
        #expect(await secure.waitFor { $0.openConnections == 0 })
        await expectReturn(to: baseline)
    }

    static func sessionsDroppedByTheirTasks() async throws {
        let origin = try ScriptedOrigin { _, _ in [] }
        let hole = try BlackHole()
        let baseline = await baseline(with: origin)
        for round in 0..<100 {
            let isCancelled = round % 2 == 1
            let url = try #require(URL(string: isCancelled ? hole.url : "http://127.0.0.1:1/"))
            let holder = SessionHolder(.limited())
            let delegate = RecordingDelegate { _, event in if case .end = event { holder.drop() } }
            let task = holder.session?.dataTask(with: URLRequest(url: url), delegate: delegate)
            task?.resume()
            if isCancelled {
                await holder.session?.settle()
                task?.cancel()
            }
            #expect(await delegate.end().error != nil)
        }
        await expectReturn(to: baseline)
    }

    static func noDescriptorButIdleConnections() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let sessions = (0..<2).map { _ in
            Session.limited(to: 100) {
                $0.maximumIdleConnections = 100
                $0.resolver = ClosureResolver { _, _ in IPAddress(literal: "127.0.0.1").map { [$0] } ?? [] }
            }
        }
        func url(_ number: Int) throws -> URLRequest {
            try URLRequest(string: "http://host\(number).test:\(origin.port)/\(number)")
        }
        for number in 0..<40 { #expect(try await sessions[number % 2].text(url(number)) == "/\(number)") }
        #expect(sessions.map(\.connectionGauges.idle) == [20, 20])
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var old = rlimit()
        unsafe getrlimit(resource, &old)
        let free = dup(0)
        close(free)
        var scarce = rlimit(rlim_cur: rlim_t(free), rlim_max: old.rlim_max)
        unsafe setrlimit(resource, &scarce)
        for number in 40..<60 { #expect(try await sessions[0].text(url(number)) == "/\(number)") }
        #expect(sessions[1].connectionGauges.idle == 0)
        unsafe setrlimit(resource, &old)
    }

    static func fewDescriptors() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        // The origin has no descriptors to spare either: a connection that it cannot accept waits as long as it may.
        let request = try URLRequest(origin).limited(to: Timeouts(total: .seconds(2)))
        let session = Session.limited(to: 200)
        #expect(try await session.text(URLRequest(origin)) == "answer")
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var old = rlimit()
        unsafe getrlimit(resource, &old)
        var scarce = rlimit(rlim_cur: rlim_t(Census.now.descriptors.count + 20), rlim_max: old.rlim_max)
        unsafe setrlimit(resource, &scarce)
        let outcomes = await withTaskGroup(of: SessionError?.self) { group in
            for _ in 0..<1000 { group.addTask { await session.failure(of: request) } }
            return await group.reduce(into: [SessionError?]()) { $0.append($1) }
        }
        #expect(outcomes.count == 1000)
        #expect(outcomes.contains { $0 == nil })
        unsafe setrlimit(resource, &old)
        #expect(try await session.text(URLRequest(origin)) == "answer")
    }
}
