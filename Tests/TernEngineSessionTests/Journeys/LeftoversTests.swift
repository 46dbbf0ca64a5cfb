// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
@testable import TernIO
import TernLock
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What a session holds for its tasks is given back, wherever a task waits and however it ends.
@Suite(.timeLimit(.minutes(2))) struct LeftoversTests {
    /// The number of tasks of the whole file.
    private static let taskCount = Rounds.of(1000)

    /// What the tasks of one row wait for.
    enum Wait: String, CaseIterable {
        case policy, source, otherRequest, delay, rate, permit, dial, handshake, head, secondAttempt, body, discarded,
            question,
            suspended
    }

    /// How they end.
    enum End: String, CaseIterable { case cancelled, timedOut, invalidated, finished, released }

    private static var countOfRow: Int {
        max(4, taskCount / (2 * Wait.allCases.count * End.allCases.count + outcomes.count))
    }

    @Test(arguments: Wait.allCases, End.allCases)
    func `a task that waits leaves nothing`(wait: Wait, end: End) async throws {
        let situation = try Situation(wait, count: Self.countOfRow, isTimed: end == .timedOut)
        let tasks = try await situation.begin()
        switch end {
        case .cancelled: for task in tasks { task.task.cancel() }
        case .timedOut: break
        case .invalidated: situation.session.session?.invalidateAndCancel()
        case .finished:
            situation.session.session?.finishTasksAndInvalidate()
            for task in tasks { task.task.cancel() }
        case .released: situation.session.drop()
        }
        try await expectEnds(of: tasks.map(\.delegate), by: end)
        await situation.expectNothingLeft(isUsable: end == .cancelled || end == .timedOut)
    }

    @Test(arguments: Wait.allCases, End.allCases)
    func `a task of the library waits although nothing else holds it, and leaves nothing`(
        wait: Wait, end: End
    ) async throws {
        let situation = try Situation(wait, count: Self.countOfRow, isTimed: end == .timedOut)
        let tasks = try await situation.beginOwn()
        if end != .timedOut, let session = situation.session.session {
            await session.settle()
            #expect(tasks.allSatisfy { $0.task != nil } && session.ownTasks.count == tasks.count)
            #expect(session.allTasks.isEmpty)
        }
        switch end {
        case .cancelled: for task in tasks { task.task?.cancel() }
        case .timedOut: break
        case .invalidated: situation.session.session?.invalidateAndCancel()
        case .finished: situation.session.session?.finishTasksAndInvalidate()
        case .released: situation.session.drop()
        }
        try await expectEnds(of: tasks.map(\.delegate), by: end)
        await situation.expectNothingLeft(isUsable: end == .cancelled || end == .timedOut)
        #expect(await eventually { tasks.allSatisfy { $0.task == nil } })
    }

    private func expectEnds(of delegates: [RecordingDelegate], by end: End) async throws {
        for delegate in delegates {
            let record = await delegate.end()
            #expect(record.completions == 1 && record.events.last == .end(failed: true))
            let kind = try #require(record.error?.reason.kind)
            switch end {
            case .cancelled: #expect(kind == .cancelled)
            case .timedOut: #expect(record.error?.reason.limit == .total)
            case .invalidated, .finished, .released: #expect([.cancelled, .sessionInvalidated].contains(kind))
            }
        }
    }

    /// An end that comes of itself, and what a task is told then.
    struct Outcome: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: SessionError.Kind?
        let arrange: @Sendable (Servers, inout SessionConfiguration) throws -> URLRequest
    }

    private static let outcomes: [Outcome] = [
        Outcome(testDescription: "success", kind: nil) { servers, _ in try URLRequest(servers.origin, "/ok") },
        Outcome(testDescription: "a redirect", kind: nil) { servers, _ in
            try URLRequest(servers.origin, "/302?\(servers.other.url("/ok"))")
        },
        Outcome(testDescription: "a kept-alive connection that was lost", kind: nil) { servers, configuration in
            configuration.httpMaximumConnectionsPerHost = 1
            return try URLRequest(servers.origin, "/once")
        },
        Outcome(testDescription: "no address", kind: .unresolved) { _, configuration in
            configuration.resolver = ClosureResolver { _, _ in [] }
            return try URLRequest(string: "http://nowhere.test/")
        },
        Outcome(testDescription: "an address that is refused", kind: .egressRefused) { servers, configuration in
            configuration.egressPolicy = .publicInternet
            return try URLRequest(servers.origin)
        },
        Outcome(testDescription: "no connection", kind: .unreachable) { servers, _ in
            try URLRequest(string: "http://127.0.0.1:\(servers.closedPort)/")
        },
        Outcome(testDescription: "a certificate that is refused", kind: .trust) { servers, _ in
            try URLRequest(servers.secure)
        },
        Outcome(testDescription: "a timeout of the handshake", kind: .timedOut) { servers, configuration in
            configuration.timeouts.connect = .milliseconds(50)
            return try URLRequest(servers.deaf)
        },
        Outcome(testDescription: "a timeout of the queue", kind: .timedOut) { servers, configuration in
            configuration.timeouts = Timeouts(queue: .milliseconds(50), head: .milliseconds(200))
            configuration.httpMaximumConnectionsPerHost = 1
            return try URLRequest(servers.origin, "/silent")
        },
        Outcome(testDescription: "a timeout of the head", kind: .timedOut) { servers, configuration in
            configuration.timeouts.head = .milliseconds(50)
            return try URLRequest(servers.origin, "/silent")
        },
        Outcome(testDescription: "an idle timeout in a body", kind: .timedOut) { servers, configuration in
            configuration.timeouts.idle = .milliseconds(50)
            return try URLRequest(servers.origin, "/half")
        },
        Outcome(testDescription: "a connection that is lost", kind: .connectionLost) { servers, _ in
            try URLRequest(servers.origin, "/reset")
        },
        Outcome(testDescription: "a head that is none", kind: .malformedResponse) { servers, _ in
            try URLRequest(servers.origin, "/garbage")
        },
        Outcome(testDescription: "a queue that is full", kind: .queueFull) { servers, configuration in
            configuration.httpMaximumConnectionsPerHost = 1
            configuration.maximumQueuedRequestsPerHost = 0
            configuration.timeouts.head = .milliseconds(50)
            return try URLRequest(servers.origin, "/silent")
        },
        Outcome(testDescription: "a body that is too large", kind: .memoryQuotaExceeded) { servers, configuration in
            configuration.memoryQuota = MemoryQuota(limit: 1)
            return try URLRequest(servers.origin, "/half")
        },
        Outcome(testDescription: "a body that fails", kind: .requestBody) { servers, _ in
            var request = try URLRequest(servers.origin, "/ok", method: "PUT")
            request.body = .stream { ProbingSource([Data("x".utf8)], then: .failed(SourceFailure())) }
            return request
        },
        Outcome(testDescription: "a request that is invalid", kind: .invalidRequest) { servers, _ in
            try URLRequest(servers.origin, method: "GE T")
        },
    ]

    @Test(arguments: outcomes)
    func `a task that ends of itself leaves nothing`(outcome: Outcome) async throws {
        let count = Self.countOfRow
        let servers = try Servers()
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = count
        configuration.reactorCount = 1
        (configuration.urlCache, configuration.memoryQuota) = (servers.cache, servers.quota)
        let observer = RecordingObserver()
        configuration.observers = [observer]
        let request = try outcome.arrange(servers, &configuration)
        let session = Session.limited { $0 = configuration }
        let first = await session.registrationCount
        var kinds: [SessionError.Kind?] = []
        try await withThrowingTaskGroup(of: SessionError.Kind?.self) { group in
            for number in 0..<count {
                var request = request
                // Half of them wait for one that is equal, if it may be stored.
                if number % 2 == 1 { request.cachePolicy = .reloadIgnoringLocalCacheData }
                group.addTask { [request] in await session.failure(of: request)?.reason.kind }
            }
            for try await kind in group { kinds.append(kind) }
        }
        // Those that have the connection, one after another, end otherwise.
        let others: [SessionError.Kind?] = outcome.kind == .queueFull ? [.timedOut] : []
        #expect(kinds.allSatisfy { $0 == outcome.kind || others.contains($0) } && kinds.contains(outcome.kind))
        #expect(observer.completedCount == count && observer.faults == [])
        await session.expectNothingLeft()
        #expect(await eventually { servers.cache.flights.count == 0 && servers.quota.used == 0 })
        session.reset()
        #expect(await session.expectRegistrations(first))
        session.invalidateAndCancel()
        #expect(await servers.expectNoConnections())
    }

    @Test func `a lookup in a folder that is not waited for leaves nothing`() async throws {
        let folder = try TestFolder()
        let cache = try URLCache(memoryCapacity: 0, folder: folder.url("cache"))
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=60")], body: "x")] }
        let session = Session.limited(to: 4) { $0.urlCache = cache }
        let request = try URLRequest(origin)
        _ = try await session.data(for: request)
        cache.flush()
        let first = await session.registrationCount
        for _ in 0..<50 {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            task.cancel()
            let record = await delegate.end()
            #expect(record.completions == 1 && record.error.map { $0.reason.isCancellation } ?? true)
        }
        cache.flush()
        await session.expectNothingLeft()
        #expect(cache.flights.count == 0 && origin.requests.count == 1)
        #expect(await session.expectRegistrations(first))
    }

    @Test func `a stored response that turns out to be damaged leaves nothing`() async throws {
        let (folder, quota) = (try TestFolder(), MemoryQuota(limit: 1 << 21))
        let cache = try URLCache(memoryCapacity: 0, folder: folder.url("cache"))
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Cache-Control", "max-age=60")], body: [UInt8](repeating: 1, count: 1_000_000))]
        }
        let session = Session.limited { ($0.urlCache, $0.memoryQuota) = (cache, quota) }
        let request = try URLRequest(origin)
        _ = try await session.data(for: request)
        cache.flush()
        let first = await session.registrationCount
        let shard = try #require(FilePath.names(in: folder.path + "/cache").first { $0.count == 2 })
        let name = try #require(FilePath.names(in: "\(folder.path)/cache/\(shard)").first { $0.contains("-") })
        var content = try #require(folder.content("cache/\(shard)/\(name)"))
        content[700_000] ^= 1
        try Data(content).write(to: folder.url("cache/\(shard)/\(name)"))
        #expect(try await session.data(for: request).0.count == 1_000_000)
        cache.flush()
        await session.expectNothingLeft()
        #expect(cache.flights.count == 0 && quota.used == 0 && origin.requests.count == 2)
        #expect(await session.expectRegistrations(first))
    }

    @Test func `requests that are cancelled while they wait for the rate do not delay the next one`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.rateLimit = RateLimit(requestsPerSecond: 2) }
        _ = try await session.data(for: URLRequest(origin))
        let tasks = try (0..<40).map { _ in
            session.dataTask(with: try URLRequest(origin), delegate: NoOpTaskDelegate.shared)
        }
        for task in tasks { task.resume() }
        // The first ones may have been let go by now.
        for task in tasks { #expect(await session.eventually { task.isWaiting || task.state == .completed }) }
        for task in tasks { task.cancel() }
        let next = try URLRequest(origin).limited(to: Timeouts(total: .seconds(1)))
        let failure = await session.failure(of: next)
        #expect(failure == nil)
    }
}

extension Processes {
    /// The same by the descriptors and threads of a whole process.
    @Suite struct LeftoverProcessTests {
        @Test func `tasks that end at every wait leave no descriptor and no thread`() async {
            await #expect(processExitsWith: .success) { try await Leftovers.everyWait() }
        }
    }
}

enum Leftovers {
    static func everyWait() async throws {
        func run() async throws {
            for wait in LeftoversTests.Wait.allCases {
                for isReleased in [false, true] {
                    let situation = try Situation(wait, count: 4, isTimed: false)
                    let tasks = try await situation.begin()
                    if isReleased { situation.session.drop() } else { for task in tasks { task.task.cancel() } }
                    for task in tasks { _ = await task.delegate.end() }
                }
            }
        }
        // What the runtime opens for itself it opens the first time.
        try await run()
        let baseline = Census.now
        try await run()
        #expect(
            await eventually {
                let now = Census.now
                return now.threads == 0 && now.left(since: baseline).descriptors.isEmpty
            })
    }
}

/// Tasks of one session that wait.
private final class Situation: Sendable {
    typealias Waiting = (task: SessionTask, delegate: RecordingDelegate)

    /// Of a task that the session alone holds.
    struct OwnWaiting: Sendable {
        weak let task: SessionTask?
        let delegate: RecordingDelegate
    }

    private let wait: LeftoversTests.Wait
    private let count: Int
    private let isTimed: Bool
    private let servers: Servers
    private let lookups = EndlessLookups()
    private let source = EndlessSource()
    private let observer = RecordingObserver()
    let session: SessionHolder
    private let firstRegistrations = Lock(0)
    private let questionCount = Lock(0)

    init(_ wait: LeftoversTests.Wait, count: Int, isTimed: Bool) throws {
        (self.wait, self.count, self.isTimed, servers) = (wait, count, isTimed, try Servers())
        let observer = observer
        let (servers, anchor) = (servers, try X509Certificate(pem: servers.authority.certificatePEM))
        let policies: [any HopPolicy] = wait == .policy ? [lookups] : wait == .delay ? [LongDelay()] : []
        session = SessionHolder(
            Session.limited(
                to: wait == .permit ? 1 : wait == .secondAttempt ? 2 * count + 1 : count + 1, hopPolicies: policies,
                sources: wait == .source ? [source] : nil
            ) {
                $0.observers = [observer]
                if wait != .source { $0.urlCache = servers.cache }
                if wait == .secondAttempt {
                    $0.retryPolicy = .standard
                    ($0.retryPolicy.hedging, $0.retryPolicy.budget) = (.after(.milliseconds(1)), nil)
                }
                if wait == .rate { $0.rateLimit = RateLimit(requestsPerSecond: 0.001) }
                $0.memoryQuota = servers.quota
                $0.tls.anchors = .only([anchor])
            })
    }

    private func request(_ number: Int) throws -> URLRequest {
        let request: URLRequest =
            switch wait {
            case .policy, .source, .rate: try URLRequest(servers.origin, "/\(number)")
            case .otherRequest: try URLRequest(servers.origin, "/silent")
            case .delay: try URLRequest(servers.origin, "/busy?\(number)")
            case .permit, .head, .secondAttempt: try URLRequest(servers.origin, "/silent?\(number)")
            case .dial: try URLRequest(string: servers.blackHole.url + "\(number)")
            case .handshake: try URLRequest(servers.deaf, "/\(number)")
            case .body: try URLRequest(servers.origin, "/half?\(number)")
            case .discarded: try URLRequest(servers.origin, "/stall?\(number)")
            case .question: try URLRequest(servers.origin, "/302?/ok&\(number)")
            case .suspended: try URLRequest(servers.origin, "/ok?\(number)")
            }
        return isTimed ? request.limited(to: Timeouts(total: .milliseconds(100))) : request
    }

    /// Starts the tasks, and returns when they wait, unless their time is soon over.
    func begin() async throws -> [Waiting] {
        try await begin { session, request, delegate in
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            return task
        }
    }

    /// The same for tasks that the library starts.
    func beginOwn() async throws -> [OwnWaiting] {
        let tasks = try await begin { session, request, delegate in
            try #require(session.startOwnTask(with: request, after: RedirectChain(), delegate: delegate))
        }
        return tasks.map { OwnWaiting(task: $0.task, delegate: $0.delegate) }
    }

    private func begin(
        _ start: (Session, URLRequest, any SessionTaskDelegate) throws -> SessionTask
    ) async throws -> [Waiting] {
        let session = try #require(session.session)
        let registrations = await session.registrationCount
        firstRegistrations.withLock { $0 = registrations }
        if wait == .rate { _ = try await session.data(for: URLRequest(servers.origin, "/ok")) }
        let isSuspending = wait == .suspended
        var tasks: [Waiting] = []
        for number in 0..<count {
            let delegate = RecordingDelegate { task, event in
                if isSuspending, case .head = event { task.suspend() }
            }
            let outer: any SessionTaskDelegate =
                switch wait {
                case .body: Collecting(delegate, servers.quota)
                case .question: Undecided(delegate) { self.questionCount.withLock { $0 += 1 } }
                default: delegate
                }
            tasks.append((try start(session, request(number), outer), delegate))
        }
        if !isTimed {
            #expect(await isReached(tasks, session), "\(wait)")
            // A timer or a descriptor for each, or one for what the others wait for.
            #expect(await session.registrationCount > registrations)
        }
        return tasks
    }

    private func isReached(_ tasks: [Waiting], _ session: Session) async -> Bool {
        let (servers, count) = (servers, count)
        switch wait {
        case .policy: return await eventually { lookups.counts.started == count }
        case .source: return await eventually { source.counts.started == count }
        case .rate, .delay:
            for (task, _) in tasks where await !session.eventually({ task.isWaiting }) { return false }
            return true
        case .otherRequest:
            let waiting = tasks.map(\.task)
            guard await session.eventually({ waiting.count { $0.isWaiting } == count - 1 }) else { return false }
            return await servers.origin.waitFor { $0.headCount == 1 }
        case .permit: return await eventually { session.connectionGauges.waiting == count - 1 }
        case .dial: return await eventually { session.connectionGauges.opening == count }
        case .handshake: return await servers.deaf.waitFor { $0.connectionCount == count }
        case .head: return await servers.origin.waitFor { $0.headCount == count }
        case .secondAttempt: return await servers.origin.waitFor { $0.headCount == 2 * count }
        case .body: return await eventually { servers.quota.used == 4 * count }
        case .discarded:
            let tasks = tasks.map(\.task)
            return await eventually { tasks.allSatisfy { $0.currentRequest?.url?.path() == "/silent" } }
        case .question: return await eventually { questionCount.withLock { $0 } == count }
        case .suspended:
            for (_, delegate) in tasks { await delegate.wait { $0.events.contains(.head(200)) } }
            return true
        }
    }

    func expectNothingLeft(isUsable: Bool) async {
        // What has begun has ended, for each of them.
        #expect(await eventually { observer.completedCount >= count })
        #expect(observer.faults == [])
        if let session = session.session {
            await session.expectNothingLeft()
            session.reset()
            #expect(await session.expectRegistrations(isUsable ? firstRegistrations.withLock { $0 } : 0))
        }
        #expect(await eventually { servers.cache.flights.count == 0 && servers.quota.used == 0 })
        #expect(lookups.counts.started == lookups.counts.ended && source.counts.started == source.counts.ended)
        #expect(source.partCount.withLock { $0 } == 0)
        if isUsable, ![.policy, .source, .rate].contains(wait), let session = session.session {
            #expect(await session.failure(of: try! URLRequest(servers.origin, "/ok?next")) == nil)
        }
        session.session?.invalidateAndCancel()
        #expect(await servers.expectNoConnections())
    }
}

/// What the tasks of a row can wait for, and fail by.
struct Servers: Sendable {
    private static let sharedAuthority = Result { try CertificateAuthority() }

    let authority: CertificateAuthority
    let origin: ScriptedOrigin
    let other: ScriptedOrigin
    let secure: ScriptedOrigin
    /// Does no TLS handshake.
    let deaf: ScriptedOrigin
    let blackHole: BlackHole
    let closedPort: UInt16
    let cache = URLCache()
    let quota = MemoryQuota(limit: 1 << 20)

    init() throws {
        authority = try Self.sharedAuthority.get()
        origin = try ScriptedOrigin { _, request in
            if let (status, location) = request.redirection, status == 302 { return [.redirect(to: location)] }
            switch request.target.prefix(while: { $0 != "?" }) {
            case "/silent": return [.hold]
            case "/stall":
                return [.send("HTTP/1.1 302 Found\r\nLocation: /silent\r\nContent-Length: 8\r\n\r\nhalf"), .hold]
            case "/half": return [.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .hold]
            case "/busy": return [.respond(status: 503)]
            case "/reset": return [.reset]
            case "/garbage": return [.send("SSH-2.0\r\n\r\n")]
            // Each connection carries one request, and looks as if it carried more.
            case "/once": return request.index == 0 ? [.ok("once"), .close] : [.reset]
            default: return [.ok("ok")]
            }
        }
        other = try ScriptedOrigin { _, _ in [.ok("other")] }
        secure = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        deaf = try ScriptedOrigin(tls: authority.issue(), onAccept: { _ in [.hold] }) { _, _ in [] }
        blackHole = try BlackHole()
        let gone = try ScriptedOrigin { _, _ in [] }
        closedPort = gone.port
        gone.stop()
    }

    /// No connection to one of them is open.
    func expectNoConnections() async -> Bool {
        let servers = [origin, other, secure, deaf]
        for server in servers where await !server.waitFor(.seconds(30), { $0.openConnections == 0 }) { return false }
        return true
    }
}

/// Collects within a quota, and tells another.
private final class Collecting: SessionTaskDelegate {
    private let recorder: RecordingDelegate
    private let body: Lock<BodyAccumulator>

    init(_ recorder: RecordingDelegate, _ quota: MemoryQuota) {
        self.recorder = recorder
        body = Lock(BodyAccumulator(BodyLimits(size: 1 << 20, quota: quota)))
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { body.withLock { _ = $0.take(bytes) } }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        body.withLock { $0 = BodyAccumulator(limit: 0) }
        recorder.task(task, didCompleteWith: error)
    }
}

/// Answers no question about redirects, and tells another of the end.
private final class Undecided: SessionTaskDelegate {
    private let recorder: RecordingDelegate
    private let onQuestion: @Sendable () -> Void

    init(_ recorder: RecordingDelegate, onQuestion: @escaping @Sendable () -> Void) {
        (self.recorder, self.onQuestion) = (recorder, onQuestion)
    }

    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>
    ) {
        onQuestion()
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        recorder.task(task, didCompleteWith: error)
    }
}

/// Looks something up for ever.
private final class EndlessLookups: HopPolicy {
    let interests = HopInterests.preparation
    private let state = Lock((started: 0, ended: 0))

    var counts: (started: Int, ended: Int) { state.withLock { $0 } }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation { .lookUp { self.lookup($0) } }

    func lookup(_ completion: @escaping @Sendable (HopPreparation) -> Void) -> @Sendable () -> Void {
        state.withLock { $0.started += 1 }
        return { self.state.withLock { $0.ended += 1 } }
    }
}

/// A source that does so.
private final class EndlessSource: ResponseSource {
    private let lookups = EndlessLookups()
    let partCount = Lock(0)

    var counts: (started: Int, ended: Int) { lookups.counts }

    func part(in hop: SourcedHop) -> (any HopSource)? {
        partCount.withLock { $0 += 1 }
        return Part(self)
    }

    private final class Part: HopSource {
        let additions: [HeaderField] = []
        let status: CacheStatus? = nil
        private let source: EndlessSource

        init(_ source: EndlessSource) { self.source = source }

        func answer() -> SourceAnswer { .lookUp { [lookups = source.lookups] in lookups.lookup($0) } }

        func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision { .pass }

        func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery { .pass }

        func paused() {}

        func ended() { source.partCount.withLock { $0 -= 1 } }
    }
}

/// Sends a request again in an hour.
private struct LongDelay: HopPolicy {
    let interests = HopInterests.unsuccessfulHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        head.status == 503 ? .resend(history.hop.request, after: .seconds(3600)) : .pass
    }
}

extension Session {
    /// Whether the condition comes true on the session's first reactor.
    fileprivate func eventually(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
        for _ in 0..<3000 {
            if await onReactor(condition) { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Timers and descriptors of the session's first reactor.
    fileprivate var registrationCount: Int {
        get async { await onReactor { [loop = firstLoop] in loop?.countRegistrations() ?? 0 } }
    }

    /// Whether there are soon no more of them than this.
    fileprivate func expectRegistrations(_ count: Int) async -> Bool {
        for _ in 0..<3000 {
            if await registrationCount <= count { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

extension ReactorLoop {
    /// On its thread. Fills the slots that are free until one is new: the others are used.
    fileprivate func countRegistrations() -> Int {
        var probes: [RegistrationToken] = []
        defer { for probe in probes { deregister(probe) } }
        while true {
            let probe = registerTimer(handler: Probe())
            probes.append(probe)
            if probe.generation == 0 { return Int(probe.slot) + 1 - probes.count }
        }
    }

    private final class Probe: ReadinessHandler {
        func ready(_ readiness: Readiness) {}
    }
}
