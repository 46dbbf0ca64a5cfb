// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct ResolverTests {
    // The system's resolver

    @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("fe80::1", "fe80::1"), ("0x7f.1", "127.0.0.1")])
    func `a literal is answered at once on the calling thread`(host: String, literal: String) throws {
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        Resolver { _, _ in
            Issue.record("a literal was looked up")
            return .success([])
        }.resolve(host: host, port: 80) { answers.append($0) }
        #expect(answers.entries == [.success([try #require(TransportAddress(literal: literal, port: 80))])])
    }

    @Test(arguments: ["localhost", "localhost.", "any.localhost", "any.other.localhost.", "LocalHost", "A.LOCALHOST"])
    func `localhost is the loopback, at once and without a look-up`(host: String) throws {
        let resolver = Resolver { _, _ in
            Issue.record("a name of this machine was looked up")
            return .success([])
        }
        for (family, expected) in [
            (AddressFamily.any, ["127.0.0.1:8080", "[::1]:8080"]), (.ipv4, ["127.0.0.1:8080"]), (.ipv6, ["[::1]:8080"]),
        ] {
            let answers = Journal<Result<[TransportAddress], ResolveError>>()
            resolver.resolve(host: host, port: 8080, family: family) { answers.append($0) }
            #expect(try answers.entries.map { try $0.get().map(\.description) } == [expected])
        }
    }

    @Test(arguments: [("127.0.0.1", AddressFamily.ipv6), ("::1", .ipv4), ("::ffff:127.0.0.1", .ipv4)])
    func `a literal of the other family is an error`(literal: String, family: AddressFamily) throws {
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        Resolver().resolve(host: literal, port: 80, family: family) { answers.append($0) }
        #expect(answers.entries == [.failure(ResolveError(host: literal, reason: .otherFamily))])
    }

    @Test func `look-ups of other families are other look-ups, and the system's keep to theirs`() async throws {
        let calls = Journal<AddressFamily>()
        let resolver = Resolver(
            lookUp: { _, port, family in
                calls.append(family)
                return .success([answer(port)])
            },
            startThread: { body throws(SystemCallError) in try Thread.start(name: "tern-test", body) })
        for family in AddressFamily.allCases {
            await withCheckedContinuation { end in
                resolver.resolve(host: "a.test", port: 1, family: family) { _ in end.resume() }
            }
        }
        #expect(calls.entries == AddressFamily.allCases)
        // The machine's own name is in its hosts file.
        let name = try Self.hostName
        for family in AddressFamily.allCases {
            let result = await withCheckedContinuation { end in
                Resolver().resolve(host: name, port: 1, family: family) { end.resume(returning: $0) }
            }
            for address in (try? result.get()) ?? [] {
                #expect(family == .any || address.isIPv6 == (family == .ipv6))
            }
        }
    }

    private static var hostName: String {
        get throws {
            var buffer = [CChar](repeating: 0, count: 256)
            try #require(unsafe gethostname(&buffer, buffer.count - 1) == 0)
            return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    @Test func `an unknown host is an error that names it`() async {
        let result = await Resolver().addresses(of: "nope.invalid", port: 80)
        guard case .failure(let error) = result else {
            Issue.record("nope.invalid exists: \(result)")
            return
        }
        #expect(error.host == "nope.invalid")
        // Without a name server in reach it is not known whether the name exists.
        #expect([.unknownHost, .temporaryFailure].contains(error.reason))
        #expect(error.code != 0)
    }

    @Test(arguments: [
        "", "localhost\0.example.com", "\0", "127.0.0.1\0", "a b", "-", "..", String(repeating: "a", count: 300),
    ])
    func `what cannot be a host name is refused`(name: String) async {
        let result = await Resolver().addresses(of: name, port: 80)
        #expect(throws: ResolveError.self) { try result.get() }
    }

    @Test func `the answer comes on a resolver thread, which ends`() async throws {
        let name = await withCheckedContinuation { end in
            Resolver().resolve(host: "nope.invalid", port: 80) { _ in end.resume(returning: Census.currentThreadName) }
        }
        #expect(name == "tern-resolver")
    }

    // Its queue

    @Test func `overlapping lookups of one name share one call`() async throws {
        let calls = Journal<String>()
        let gate = Barrier()
        let resolver = Resolver { host, port in
            calls.append("\(host):\(port)")
            gate.pass()
            return .success([answer(port)])
        }
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        for _ in 0..<50 { resolver.resolve(host: "a.test", port: 1) { answers.append($0) } }
        resolver.resolve(host: "a.test", port: 2) { answers.append($0) }
        resolver.resolve(host: "b.test", port: 1) { answers.append($0) }
        #expect(await eventually { calls.entries.count == 3 })
        #expect(answers.entries.isEmpty)
        gate.open()
        #expect(await eventually { answers.entries.count == 52 })
        #expect(calls.entries.sorted() == ["a.test:1", "a.test:2", "b.test:1"])
        #expect(answers.entries.count { $0 == .success([answer(1)]) } == 51)
    }

    @Test func `a lookup after the answer asks again`() async throws {
        let calls = Journal<String>()
        let resolver = Resolver { host, port in
            calls.append(host)
            return .success([answer(port)])
        }
        for _ in 0..<3 { _ = await resolver.addresses(of: "a.test", port: 1) }
        #expect(calls.entries.count == 3)
    }

    @Test func `names that do not answer do not hold up others, up to the limit of threads`() async throws {
        let hung = Journal<String>()
        let gate = Barrier()
        let resolver = Resolver(patience: .seconds(3600)) { host, port in
            if host.hasPrefix("hung") {
                hung.append(host)
                gate.pass()
            }
            return .success([answer(port)])
        }
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        for number in 1..<ResolverThreads.limit {
            resolver.resolve(host: "hung\(number).test", port: 1) { answers.append($0) }
        }
        #expect(await eventually { hung.entries.count == ResolverThreads.limit - 1 })
        for _ in 0..<20 { #expect(await resolver.addresses(of: "fine.test", port: 7) == .success([answer(7)])) }
        // One more, and the next has to wait.
        resolver.resolve(host: "hung.test", port: 1) { answers.append($0) }
        #expect(await eventually { hung.entries.count == ResolverThreads.limit })
        resolver.resolve(host: "late.test", port: 7) { answers.append($0) }
        #expect(answers.entries.isEmpty)
        gate.open()
        #expect(await eventually { answers.entries.count == ResolverThreads.limit + 1 })
        #expect(answers.entries.contains(.success([answer(7)])))
    }

    @Test func `names that hang delay no others, however many`() async throws {
        let hung = Journal<String>()
        let gate = Barrier()
        let resolver = Resolver(patience: .milliseconds(20)) { host, port in
            if host.hasPrefix("hung") {
                hung.append(host)
                gate.pass()
            }
            return .success([answer(port)])
        }
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        let count = 6 * ResolverThreads.limit
        for number in 0..<count { resolver.resolve(host: "hung\(number).test", port: 1) { answers.append($0) } }
        for _ in 0..<20 { #expect(await resolver.addresses(of: "fine.test", port: 7) == .success([answer(7)])) }
        #expect(hung.entries.count == count)
        #expect(answers.entries.isEmpty)
        gate.open()
        #expect(await eventually { answers.entries.count == count })
    }

    @Test func `a name is refused when every thread there may be hangs`() async throws {
        let hung = Journal<String>()
        let gate = Barrier()
        let resolver = Resolver(patience: .milliseconds(1)) { host, port in
            hung.append(host)
            gate.pass()
            return .success([answer(port)])
        }
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        for number in 0..<ResolverThreads.maximum {
            resolver.resolve(host: "hung\(number).test", port: 1) { answers.append($0) }
        }
        #expect(await eventually { hung.entries.count == ResolverThreads.maximum })
        // The last of them hangs only a moment after it was begun.
        var number = 0
        #expect(
            await eventually {
                number += 1
                resolver.resolve(host: "late\(number).test", port: 1) { answers.append($0) }
                return answers.entries.count >= number
            })
        #expect(answers.entries.allSatisfy { $0.reason == .tooManyHangingLookUps })
        gate.open()
        #expect(await eventually { answers.entries.count == number + ResolverThreads.maximum })
        #expect(await eventually { resolver.threads.idleCount > 0 })
        #expect(await resolver.addresses(of: "fine.test", port: 7) == .success([answer(7)]))
    }

    @Test func `a name whose look-ups were withdrawn is not looked up`() async throws {
        let calls = Journal<String>()
        let gate = Barrier()
        let resolver = Resolver(patience: .seconds(3600)) { host, port in
            calls.append(host)
            gate.pass()
            return .success([answer(port)])
        }
        let answers = Journal<String>()
        for number in 0..<ResolverThreads.limit {
            resolver.resolve(host: "busy\(number).test", port: 1) { _ in answers.append("busy") }
        }
        #expect(await eventually { calls.entries.count == ResolverThreads.limit })
        weak var asker: Asker?
        var questions: [LookUpTicket?] = []
        do {
            let kept = Asker()
            asker = kept
            for number in 0..<1000 {
                questions.append(
                    resolver.resolve(host: "late\(number).test", port: 1) { _ in withExtendedLifetime(kept) {} })
            }
        }
        let shared = resolver.resolve(host: "shared.test", port: 1) { _ in answers.append("withdrawn") }
        resolver.resolve(host: "shared.test", port: 1) { _ in answers.append("shared") }
        for question in questions + [shared] { resolver.cancel(try #require(question)) }
        #expect(asker == nil)
        #expect(resolver.threads.waitingCount == 1)
        gate.open()
        #expect(await eventually { answers.entries.count == ResolverThreads.limit + 1 })
        #expect(!answers.entries.contains("withdrawn"))
        #expect(calls.entries.filter { !$0.hasPrefix("busy") } == ["shared.test"])
    }

    @Test func `the answer to a withdrawn look-up is not delivered`() async throws {
        let started = Flag()
        let gate = Barrier()
        let resolver = Resolver { _, port in
            started.raise()
            gate.pass()
            return .success([answer(port)])
        }
        let answers = Journal<String>()
        let question = resolver.resolve(host: "a.test", port: 1) { _ in answers.append("first") }
        #expect(await eventually { started.isRaised })
        resolver.cancel(try #require(question))
        // Joins the pending look-up.
        resolver.resolve(host: "a.test", port: 1) { _ in answers.append("second") }
        gate.open()
        #expect(await eventually { answers.entries == ["second"] })
    }

    @Test func `a thousand names from several threads are each answered once, and the threads end`() async throws {
        let resolver = Resolver(
            idleTime: .zero, lookUp: { host, port, _ in .success([answer(port)]) },
            startThread: { body throws(SystemCallError) in try Thread.start(name: "io-resolver", body) })
        let answers = Journal<UInt16>()
        for thread in 0..<4 {
            DetachedThread.run {
                for number in 0..<250 {
                    let port = UInt16(thread * 250 + number)
                    resolver.resolve(host: "name\(port).test", port: port) { result in
                        if case .success(let addresses) = result { answers.append(addresses.first?.port ?? 0) }
                    }
                }
            }
        }
        #expect(await eventually { answers.entries.count == 1000 })
        #expect(answers.entries.sorted() == Array(0..<1000))
        #expect(await eventually { Census.threads(named: "io-resolver") == 0 })
    }

    @Test func `a thread that has answered waits for the next name, and ends with the resolver`() async throws {
        let threads = Journal<Bool>()
        do {
            let resolver = Resolver(
                idleTime: .seconds(3600), lookUp: { host, port, _ in .success([answer(port)]) },
                startThread: { body throws(SystemCallError) in
                    threads.append(true)
                    try Thread.start(name: "io-idle", body)
                })
            for _ in 0..<100 {
                _ = await resolver.addresses(of: "a.test", port: 1)
                #expect(await eventually { resolver.threads.idleCount == 1 })
            }
            #expect(threads.entries.count == 1)
        }
        #expect(await eventually { Census.threads(named: "io-idle") == 0 })
    }

    @Test func `a resolver that is released still answers`() async throws {
        let gate = Barrier()
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        Resolver { _, port in
            gate.pass()
            return .success([answer(port)])
        }.resolve(host: "a.test", port: 1) { answers.append($0) }
        gate.open()
        #expect(await eventually { answers.entries == [.success([answer(1)])] })
    }

    @Test func `a completion may ask again`() async throws {
        let resolver = Resolver { _, port in .success([answer(port)]) }
        let end = Flag()
        resolver.resolve(host: "a.test", port: 1) { _ in
            resolver.resolve(host: "a.test", port: 1) { _ in end.raise() }
        }
        #expect(await eventually { end.isRaised })
    }

    @Test func `without a thread a lookup fails instead of blocking its caller`() async throws {
        let resolver = Resolver(
            lookUp: { _, _, _ in
                Issue.record("looked up on the caller's thread")
                return .success([])
            },
            startThread: { _ throws(SystemCallError) in throw SystemCallError(.pthreadCreate, code: EAGAIN) })
        for _ in 0..<(2 * ResolverThreads.limit) {
            let result = await resolver.addresses(of: "a.test", port: 1)
            #expect(result == .failure(ResolveError(host: "a.test", code: EAI_AGAIN)))
        }
    }

    @Test func `without another thread a lookup waits for the one there is`() async throws {
        let gate = Barrier()
        let started = Flag()
        let resolver = Resolver(
            lookUp: { _, port, _ in
                gate.pass()
                return .success([answer(port)])
            },
            startThread: { body throws(SystemCallError) in
                if started.isRaised { throw SystemCallError(.pthreadCreate, code: EAGAIN) }
                started.raise()
                try Thread.start(name: "tern-test", body)
            })
        let answers = Journal<Result<[TransportAddress], ResolveError>>()
        for number in 1...3 as ClosedRange<UInt16> {
            resolver.resolve(host: "name\(number).test", port: number) { answers.append($0) }
        }
        #expect(answers.entries.isEmpty)
        gate.open()
        #expect(
            await eventually {
                answers.entries == [.success([answer(1)]), .success([answer(2)]), .success([answer(3)])]
            })
    }
}

extension Resolver {
    fileprivate convenience init(
        patience: Duration = .seconds(1),
        _ lookUp: @escaping @Sendable (String, UInt16) -> Result<[TransportAddress], ResolveError>
    ) {
        self.init(patience: patience, lookUp: { host, port, _ in lookUp(host, port) }) { body throws(SystemCallError) in
            try Thread.start(name: "tern-test", body)
        }
    }

    fileprivate func addresses(of host: String, port: UInt16) async -> Result<[TransportAddress], ResolveError> {
        await withCheckedContinuation { end in resolve(host: host, port: port) { end.resume(returning: $0) } }
    }
}

private final class Asker: Sendable {}

extension Result<[TransportAddress], ResolveError> {
    fileprivate var reason: ResolveError.Reason? { if case .failure(let error) = self { error.reason } else { nil } }
}

private func answer(_ port: UInt16) -> TransportAddress {
    .ip(IPAddress(storage: .v4(UInt32(192 | 2 << 16 | 1 << 24))), port: port)
}

@Suite struct ResolveErrorTests {
    @Test(
        arguments: [
            (EAI_NONAME, .unknownHost), (-5, .unknownHost), (-9, .unknownHost), (EAI_AGAIN, .temporaryFailure),
            (EAI_FAIL, .failure), (EAI_SYSTEM, .failure), (EAI_MEMORY, .failure), (12345, .failure),
        ] as [(Int32, ResolveError.Reason)])
    func `the resolver's codes fall into three reasons`(code: Int32, reason: ResolveError.Reason) {
        #expect(ResolveError(host: "a.test", code: code).reason == reason)
    }

    @Test func `the description names the host and uses the resolver's words`() {
        #expect(ResolveError(host: "a.test", code: EAI_NONAME).description == "a.test: Name or service not known")
        #expect(ResolveError(host: "a.test", code: 12345).description == "a.test: Unknown error")
    }
}
