// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

/// What sources may do, and what is done to them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BodySourceTests {
    private static func echo(_ identity: Identity? = nil) throws -> ScriptedOrigin {
        try ScriptedOrigin(tls: identity) { _, request in [.ok("\(request.body.count)")] }
    }

    private static func request(_ origin: ScriptedOrigin, _ content: RequestBody) throws -> URLRequest {
        var request = try URLRequest(origin, method: "PUT")
        request.body = content
        return request
    }

    @Test(arguments: [false, true]) func `a source is asked until its end, and released once`(isSecure: Bool)
        async throws
    {
        let authority = try CertificateAuthority()
        let origin = try Self.echo(isSecure ? authority.issue() : nil)
        let session = try Session.trusting(authority)
        let pieces = [Data("one".utf8), Data(), Data(repeating: 2, count: 100_000), Data("3".utf8)]
        let content = Data(pieces.joined())
        let length = content.count
        for announced in [nil, length] {
            let source = ProbingSource(pieces)
            #expect(try await session.text(Self.request(origin, .once(source, length: announced))) == "\(length)")
            #expect(source.record == ProbingSource.Record(asks: 5, finishes: 1))
        }
        #expect(origin.requests.map { Data($0.body) } == [content, content])
        #expect(origin.requests.map { $0.value(of: "transfer-encoding") } == ["chunked", nil])
        #expect(origin.requests.map { $0.value(of: "content-length") } == [nil, "\(length)"])
        #expect(origin.connectionCount == 1)
    }

    private static let unannounced: [@Sendable () -> RequestBody] = [
        { .once(ProbingSource([Data("12345".utf8), Data("67890".utf8)])) },
        { .stream { ProbingSource([Data("1234567890".utf8)]) } },
        {
            .sequence(
                AsyncStream {
                    $0.yield(Data("1234567890".utf8)); $0.finish()
                })
        },
    ]

    @Test(.proves("14.5a"), arguments: unannounced.indices)
    func `a Content-Length of the request is the length of a source that has none`(kind: Int) async throws {
        let origin = try Self.echo()
        let session = Session()
        func reason(_ length: String, _ fields: [HeaderField] = []) async -> SessionError.Reason? {
            do {
                var request = try Self.request(origin, Self.unannounced[kind]())
                request.headers = HeaderFields([HeaderField(name: "Content-Length", value: length)] + fields)
                #expect(try await session.text(request) == "10")
                return nil
            } catch { return (error as? SessionError)?.reason }
        }
        #expect(await reason("10") == nil)
        let request = try #require(origin.requests.first)
        #expect(request.value(of: "content-length") == "10" && request.value(of: "transfer-encoding") == nil)
        guard case .request(.body(.tooShort(missing: 1)))? = await reason("11"),
            case .request(.body(.tooLong(excess: 1)))? = await reason("9"),
            case .request(.invalid)? = await reason("+10"), case .request(.invalid)? = await reason("10, 10"),
            case .request(.invalid)? = await reason("10", [HeaderField(name: "Content-Length", value: "10")]),
            case .request(.invalid)? = await reason("10", [HeaderField(name: "Transfer-Encoding", value: "chunked")])
        else {
            Issue.record("a wrong length")
            return
        }
    }

    @Test func `a file without a size has the length that the request says, or chunks`() async throws {
        let origin = try Self.echo()
        let length = try Data(contentsOf: URL(filePath: "/proc/version")).count
        var request = try Self.request(origin, .file(path: "/proc/version"))
        request.setValue("\(length)", forHTTPHeaderField: "Content-Length")
        #expect(try await Session().text(request) == "\(length)")
        #expect(origin.requests.first?.value(of: "content-length") == "\(length)")
        request.setValue("\(length + 1)", forHTTPHeaderField: "Content-Length")
        let error = await #expect(throws: SessionError.self) { try await Session().text(request) }
        guard case .request(.body(.tooShort(missing: 1)))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    enum Flaw: CaseIterable, Sendable {
        case endsEarly, givesTooMuch, failsAtOnce, failsMidway, cannotBeMade

        func content(_ source: @escaping @Sendable ([Data], BodyPiece) -> ProbingSource) -> RequestBody {
            let piece = Data(repeating: 1, count: 1000)
            switch self {
            case .endsEarly: return .once(source([piece], .end()), length: 1001)
            case .givesTooMuch: return .once(source([piece, piece], .end()), length: 1999)
            case .failsAtOnce: return .once(source([], .failed(SourceFailure())))
            case .failsMidway: return .stream { source([piece, piece], .failed(SourceFailure())) }
            case .cannotBeMade: return .stream { throw SourceFailure() }
            }
        }

        func isTold(by reason: SessionError.Reason?) -> Bool {
            guard case .request(.body(let error)) = reason else { return false }
            return switch (self, error) {
            case (.endsEarly, .tooShort(missing: 1)), (.givesTooMuch, .tooLong(excess: 1)): true
            case (.failsAtOnce, .failed(let error)), (.failsMidway, .failed(let error)),
                (.cannotBeMade, .failed(let error)):
                error is SourceFailure
            default: false
            }
        }
    }

    @Test(arguments: Flaw.allCases, [false, true])
    func `a source that does not keep its word fails the request, and no server takes it for whole`(
        flaw: Flaw, isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try Self.echo(isSecure ? authority.issue() : nil)
        let session = try Session.trusting(authority)
        let sources = Lock<[ProbingSource]>([])
        let content = flaw.content { pieces, end in
            let source = ProbingSource(pieces, then: end)
            sources.withLock { $0.append(source) }
            return source
        }
        let error = await session.failure(of: try Self.request(origin, content))
        #expect(flaw.isTold(by: error?.reason))
        let made = sources.withLock { $0 }
        #expect(made.count == (flaw == .cannotBeMade ? 0 : 1))
        #expect(made.allSatisfy { $0.record.finishes == 1 && !$0.record.isMisused })
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.observations.requestCount == 0)
        #expect(try await session.text(URLRequest(origin)) == "0")
    }

    @Test func `a source without an end takes a limited part of a tick`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, request in request.method == "PUT" ? [.awaitClose] : [] }) {
            _, _ in [.ok("answer")]
        }
        let session = Session.limited(to: 2)
        let loop = try #require(session.firstLoop)
        let turns = Lock<[UInt64: Int]>([:])
        let piece = Data(repeating: 7, count: 16 * 1024)
        let source = ProbingSource { ask, _ in
            turns.withLock { $0[loop.tick, default: 0] += 1 }
            // An end all the same, so that the test has one where the source is asked without end.
            return ask < 20_000 ? .bytes(piece) : .end()
        }
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try Self.request(origin, .once(source)), delegate: delegate)
        task.resume()
        _ = try await session.text(URLRequest(origin))
        task.cancel()
        #expect(await delegate.end().completions == 1)
        #expect(turns.withLock { $0.values.max() ?? 0 } <= TickAllowance.maximum / piece.count + 1)
        #expect(source.record.finishes == 1)
    }

    @Test func `nor does one that returns empty chunks forever`() async throws {
        let origin = try Self.echo()
        let session = Session.limited(to: 2)
        let loop = try #require(session.firstLoop)
        let turns = Lock<[UInt64: Int]>([:])
        let isOver = Atomic<Bool>(false)
        let source = ProbingSource { ask, _ in
            let count = turns.withLock { turns in
                turns[loop.tick, default: 0] += 1
                return turns[loop.tick, default: 0]
            }
            // An end all the same, so that the test has one where the source is asked without end.
            let isEndless = count > 100_000
            return isOver.load(ordering: .relaxed) || isEndless ? .end() : .bytes(Data())
        }
        let delegate = RecordingDelegate()
        session.dataTask(with: try Self.request(origin, .once(source)), delegate: delegate).resume()
        #expect(try await session.text(URLRequest(origin)) == "0")
        isOver.store(true, ordering: .relaxed)
        #expect(await delegate.end().error == nil)
        #expect(turns.withLock { $0.values.max() ?? 0 } <= TickAllowance.maximum / TickAllowance.event)
    }

    @Test func `a stalled source costs nothing until the idle limit ends its request`() async throws {
        let origin = try Self.echo()
        let session = Session.limited()
        let loop = try #require(session.firstLoop)
        let source = ProbingSource { ask, _ in ask == 0 ? .bytes(Data("begun".utf8)) : .later }
        var request = try Self.request(origin, .once(source))
        request.timeouts = Timeouts(idle: .milliseconds(300))
        let before = await session.onReactor { loop.tick }
        let error = await session.failure(of: request)
        #expect(error?.reason.limit == .idle)
        #expect(error?.wasSent == true)
        #expect(source.record == ProbingSource.Record(asks: 2, finishes: 1))
        // It connects, sends, waits in steps of the deadline wheel's, and ends.
        #expect(await session.onReactor { loop.tick } - before < 40)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.observations.requestCount == 0)
    }

    @Test func `nor is it asked because its server asks for new keys`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(
            tls: authority.issue(),
            onHead: { _, _ in [.receive(1)] + .init(repeating: .updateKeys, count: 10) + [.respond(status: 413)] }
        ) { _, _ in [] }
        let source = ProbingSource { ask, _ in ask == 0 ? .bytes(Data("begun".utf8)) : .later }
        let session = try Session.trusting(authority)
        let (_, response) = try await session.data(for: Self.request(origin, .once(source)))
        #expect(response.statusCode == 413)
        #expect(source.record == ProbingSource.Record(asks: 2, finishes: 1))
    }

    @Test func `a source that has given what was announced is not waited for, and the limit on the head counts`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in request.target == "/" ? [.ok()] : [.awaitClose] }
        let session = Session.limited()
        for path in ["/", "/", "/silent"] {
            let source = ProbingSource { ask, _ in ask == 0 ? .bytes(Data("four".utf8)) : .later }
            var request = try Self.request(origin, .once(source, length: 4))
            request.url = URL(string: origin.url(path))
            request.timeouts = Timeouts(head: path == "/" ? .seconds(20) : .milliseconds(200), idle: .seconds(60))
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            #expect(await delegate.end().error?.reason.limit == (path == "/" ? nil : .head))
            #expect(task.metrics?.hops.last?.requestSent != nil)
            #expect(source.record == ProbingSource.Record(asks: 2, finishes: 1))
        }
        #expect(origin.connectionCount == 1)
    }

    enum Waking: CaseIterable, Sendable {
        case beforeReturning, fromElsewhere, twice, afterTheEnd
    }

    @Test(arguments: Waking.allCases) func `a source may wake whenever and from wherever it likes`(waking: Waking)
        async throws
    {
        let origin = try Self.echo()
        let session = Session.limited()
        let kept = Lock<[@Sendable () -> Void]>([])
        let source = ProbingSource { ask, wake in
            kept.withLock { $0.append(wake) }
            if ask % 2 == 1 { return ask < 20 ? .bytes(Data("x".utf8)) : .end() }
            switch waking {
            case .beforeReturning, .afterTheEnd: wake()
            case .fromElsewhere: Task.detached { wake() }
            case .twice: for _ in 0..<2 { wake() }
            }
            return .later
        }
        let text = try await session.text(Self.request(origin, .once(source)))
        #expect(Int(text) ?? 0 > 0)
        for wake in kept.withLock({ $0 }) { wake() }
        await session.settle()
        #expect(try await session.text(URLRequest(origin)) == "0")
        for wake in kept.withLock({ $0 }) { wake() }
        #expect(source.record.finishes == 1)
        #expect(!source.record.isMisused)
        #expect(origin.connectionCount == 1)
    }

    enum Moment: CaseIterable, Sendable { case made, asked, finished }

    @Test(arguments: Moment.allCases, [false, true])
    func `a source that is asked may cancel, suspend, or release the session`(moment: Moment, dropsSession: Bool)
        async throws
    {
        let origin = try Self.echo()
        let holder = SessionHolder(Session.limited())
        let current = Lock<SessionTask?>(nil)
        let act: @Sendable () -> Void = {
            current.withLock { $0 }?.suspend()
            current.withLock { $0 }?.resume()
            if dropsSession { holder.drop() } else { current.withLock { $0 }?.cancel() }
        }
        let (ends, end) = AsyncStream<Void>.makeStream()
        let onFinish: @Sendable () -> Void = {
            if moment == .finished { act() }
            end.yield()
        }
        let source = ProbingSource(onFinish: onFinish) { ask, _ in
            if moment == .asked, ask == 1 { act() }
            return ask < 3 ? .bytes(Data("piece".utf8)) : .end()
        }
        let content = RequestBody.stream {
            if moment == .made { act() }
            return source
        }
        let delegate = RecordingDelegate()
        let task = try #require(holder.session?.dataTask(with: try Self.request(origin, content), delegate: delegate))
        current.withLock { $0 = task }
        task.resume()
        let error = await delegate.end().error
        #expect(dropsSession ? error?.reason.isInvalidation == true : error?.reason.isCancellation == true)
        // A source that ends its task while it is asked is released when it has answered, and not within the call.
        for await _ in ends { break }
        #expect(source.record.finishes == 1)
        #expect(!source.record.isMisused)
        current.withLock { $0 = nil }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
