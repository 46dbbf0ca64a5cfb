// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Code of the user that a task calls in the midst of its work, and that does something to the task or its session.
@Suite(.timeLimit(.minutes(2))) struct UserCodeTests {
    /// Each manner with each number of a call.
    private static let roundCount = Rounds.of(9)

    /// What is called.
    enum Place: String, CaseIterable {
        case proxyChooser, trustManager
        case authenticated, credentialIdentity, refused, credentialChange
        case lookup, lookupCancellation
        case willSend, redirect, discarded, challenge, response, body, willCache
        case makesContent, content, contentEnd, sentContent, newContent

        /// Whether it is called for what is over: a cancellation changes nothing there.
        fileprivate var isLate: Bool {
            [.lookupCancellation, .willCache, .contentEnd, .credentialChange].contains(self)
        }
        /// Whether a part of the request may be on its way.
        fileprivate var isSending: Bool { [.makesContent, .content, .contentEnd, .sentContent].contains(self) }
        fileprivate var hasContent: Bool { isSending || self == .newContent }
        fileprivate var hasAuthentication: Bool {
            [.authenticated, .credentialIdentity, .refused, .discarded].contains(self)
        }
    }

    /// What it does.
    enum Act: String, CaseIterable {
        case cancel, invalidate, finish, start, startEqual, suspendAndResume, suspendAndCancel

        fileprivate var cancels: Bool { [.cancel, .invalidate, .suspendAndCancel].contains(self) }
    }

    fileprivate enum Manner: Int, CaseIterable { case plain, cached, rated }

    @Test(arguments: Place.allCases, Act.allCases)
    func `a task ends once, and nothing is sent after a cancellation`(place: Place, act: Act) async throws {
        let origin = try Self.origin(place)
        var performedCount = 0
        for number in 0..<Self.roundCount {
            let manner = Manner.allCases[number % 3]
            let intruder = Intruder(act, at: number / 3 % 3 + 1, origin)
            let session = try Self.session(place, manner, intruder)
            if await Self.round(place, act, intruder, session, origin, manner) { performedCount += 1 }
        }
        // What is stored in a cache alone is asked about; a third call does not always come.
        #expect(performedCount > Self.roundCount / 10)
    }

    @Test func `a task that is cancelled while its proxy is chosen holds no connection`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.redirection.map { [.redirect($0.status, to: $0.location)] } ?? [.hold]
        }
        let intruder = Intruder(.cancel, at: 2, origin)
        let session = try Self.session(.proxyChooser, .plain, intruder)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin, "/302?/second"), delegate: delegate)
        intruder.begin(task, session)
        task.resume()
        #expect(await delegate.end().error?.reason.isCancellation == true && delegate.record.completions == 1)
        intruder.end()
        await session.settle()
        let gauges = session.connectionGauges
        #expect(gauges.leased + gauges.opening + gauges.waiting == 0 && origin.observations.headCount == 1)
        session.invalidateAndCancel()
    }

    @Test func `an observer of a storage runs on no reactor, and not before the change is over`() async throws {
        let origin = try Self.origin(.credentialChange)
        let intruder = Intruder(.cancel, at: 1, origin)
        let session = try Self.session(.credentialChange, .plain, intruder)
        let delegate = Delegate(.credentialChange, intruder)
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        intruder.begin(task, session)
        task.resume()
        _ = await delegate.recorder.end()
        await CredentialObserver.settle()
        #expect(intruder.performed?.isOnReactor == false)
        intruder.end()
        session.invalidateAndCancel()
    }

    private static let authority = Result { try CertificateAuthority() }

    /// Redirects the first request, and refuses what the place needs to be refused.
    private static func origin(_ place: Place) throws -> ScriptedOrigin {
        let identity = place == .trustManager ? try authority.get().issue() : nil
        return try ScriptedOrigin(tls: identity) { _, request in
            if request.target == "/other" { return [.ok("other")] }
            let authorization = request.value(of: "Authorization")
            let isRefused =
                switch place {
                case .refused, .discarded: authorization?.hasSuffix("odd") == true
                case .challenge, .credentialChange: authorization == nil
                default: false
                }
            if isRefused {
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")], body: "no")]
            }
            if let (status, location) = request.redirection { return [.redirect(status, to: location)] }
            return [.respond(fields: [("Cache-Control", "max-age=60")], body: "answer")]
        }
    }

    private static func session(_ place: Place, _ manner: Manner, _ intruder: Intruder) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        configuration.httpMaximumConnectionsPerHost = 2
        switch manner {
        case .plain: break
        case .cached: configuration.urlCache = URLCache()
        case .rated: configuration.rateLimit = RateLimit(requestsPerSecond: 1000)
        }
        if place == .proxyChooser {
            configuration.proxySettings = ProxySettings { _ in
                intruder.call()
                return nil
            }
        }
        if place.hasAuthentication { configuration.authentication = Tokens(place, intruder) }
        if place == .credentialChange { configuration.urlCredentialStorage = CredentialObserver.storage(for: intruder) }
        var manager: ServerTrustPolicyManager?
        if place == .trustManager {
            let anchor = try X509Certificate(pem: authority.get().certificatePEM)
            configuration.tls.anchors = .only([anchor])
            manager = Manager(intruder)
        }
        let isLookup = place == .lookup || place == .lookupCancellation
        return Session(
            configuration: configuration, delegate: nil, serverTrustPolicyManager: manager,
            firstPolicies: isLookup ? [Lookups(intruder, isCancellation: place == .lookupCancellation)] : [])
    }

    private static func request(_ place: Place, _ origin: ScriptedOrigin, _ intruder: Intruder) throws -> URLRequest {
        var request = try URLRequest(origin, place.hasContent ? "/307?/second" : "/302?/second")
        guard place.hasContent else { return request }
        request.httpMethod = "PUT"
        if place == .newContent {
            request.body = .once(ProbingSource([Data("content".utf8)]))
        } else {
            request.body = .stream {
                if place == .makesContent { intruder.call() }
                return ProbingSource(onFinish: { if place == .contentEnd { intruder.call() } }) { ask, _ in
                    if place == .content { intruder.call() }
                    return ask == 0 ? .bytes(Data("content".utf8)) : .end()
                }
            }
        }
        return request
    }

    /// Whether the code of the user did what it does.
    private static func round(
        _ place: Place, _ act: Act, _ intruder: Intruder, _ session: Session, _ origin: ScriptedOrigin,
        _ manner: Manner
    ) async -> Bool {
        guard let request = try? request(place, origin, intruder) else { return false }
        let delegate = Delegate(place, intruder)
        let task = session.dataTask(with: request, delegate: delegate)
        intruder.begin(task, session)
        task.resume()
        let record = await delegate.recorder.end()
        if place == .credentialChange { await CredentialObserver.settle() }
        let performed = intruder.performed
        _ = await performed?.other?.end()
        await session.expectNothingLeft()
        await session.settle()
        let text = "\(place) \(act) \(manner) at call \(intruder.number): \(record.events), \(record.error as Any)"
        #expect(delegate.recorder.record.completions == 1, "\(text)")
        if let performed, act.cancels, !place.isLate {
            #expect(record.error.map { $0.reason.isCancellation || $0.reason.isInvalidation } == true, "\(text)")
            if !place.isSending { #expect(origin.observations.headCount == performed.headCount, "\(text)") }
        } else if performed == nil || !act.cancels {
            #expect(record.error == nil && record.body == Array("answer".utf8), "\(text)")
        }
        if let other = performed?.other { #expect(other.record.completions == 1 && other.record.error == nil) }
        intruder.end()
        session.invalidateAndCancel()
        return performed != nil
    }
}

/// Code of the user: it does something the first time that a call has this number.
private final class Intruder: Sendable {
    struct Performed: Sendable {
        /// The requests that had arrived by then.
        let headCount: Int
        let isOnReactor: Bool
        let other: RecordingDelegate?
    }

    private struct State {
        var callCount = 0
        var task: SessionTask?
        var session: Session?
        var performed: Performed?
    }

    private let act: UserCodeTests.Act
    let number: Int
    private let origin: ScriptedOrigin
    private let state = Lock(State())

    init(_ act: UserCodeTests.Act, at number: Int, _ origin: ScriptedOrigin) {
        (self.act, self.number, self.origin) = (act, number, origin)
    }

    var performed: Performed? { state.withLock { $0.performed } }

    func begin(_ task: SessionTask, _ session: Session) {
        state.withLock { ($0.task, $0.session) = (task, session) }
    }

    func end() {
        let held = state.withLock { state in
            defer { (state.task, state.session) = (nil, nil) }
            return (state.task, state.session)
        }
        withExtendedLifetime(held) {}
    }

    func call() {
        let (task, session) = state.withLock { state in
            state.callCount += 1
            return state.callCount == number ? (state.task, state.session) : (nil, nil)
        }
        guard let task, let session else { return }
        let other = act == .start || act == .startEqual ? RecordingDelegate() : nil
        let performed = Performed(
            headCount: origin.observations.headCount, isOnReactor: session.firstLoop?.isCurrent == true, other: other)
        state.withLock { $0.performed = performed }
        switch act {
        case .cancel: task.cancel()
        case .invalidate: session.invalidateAndCancel()
        case .finish: session.finishTasksAndInvalidate()
        case .start, .startEqual:
            if let request = try? URLRequest(origin, act == .start ? "/other" : "/second"), let other {
                session.dataTask(with: request, delegate: other).resume()
            }
        case .suspendAndResume:
            task.suspend()
            task.resume()
        case .suspendAndCancel:
            task.suspend()
            task.cancel()
            task.resume()
        }
    }
}

private final class Delegate: SessionTaskDelegate {
    let recorder = RecordingDelegate()
    private let place: UserCodeTests.Place
    private let intruder: Intruder

    init(_ place: UserCodeTests.Place, _ intruder: Intruder) { (self.place, self.intruder) = (place, intruder) }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        let isPlace =
            switch event {
            case .willSend: place == .willSend
            case .redirect: place == .redirect
            case .discarded: place == .discarded
            case .challenge: place == .challenge
            case .response: place == .response
            case .willCache: place == .willCache
            case .newBody: place == .newContent
            case .sentBodyData: place == .sentContent
            default: false
            }
        if isPlace { intruder.call() }
        switch event {
        case .challenge(_, let question):
            let credential = PasswordCredential(user: "a", password: "b", schemes: .basic)
            question.answer(.credential(credential, persistence: .forSession))
        case .newBody(let question): question.answer(.content(.data(Data("content".utf8))))
        default: recorder.handle(event, of: task)
        }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if place == .body { intruder.call() }
        recorder.task(task, didReceive: bytes)
    }
}

private final class Manager: ServerTrustPolicyManager, @unchecked Sendable {
    private let intruder: Intruder

    init(_ intruder: Intruder) {
        self.intruder = intruder
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        intruder.call()
        return super.serverTrustPolicy(forHost: host)
    }
}

/// Adds tokens, of which the first one, and then every second one, is refused where the place needs that.
private final class Tokens: RequestAuthentication {
    let refusingStatusCodes: Set<Int> = [401]
    private let place: UserCodeTests.Place
    private let intruder: Intruder
    private let count = Lock(Int32(0))

    init(_ place: UserCodeTests.Place, _ intruder: Intruder) { (self.place, self.intruder) = (place, intruder) }

    func authenticated(
        _ request: URLRequest
    ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)? {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if place == .authenticated { intruder.call() }
        var authenticated = request
        authenticated.headers["Authorization"] = "Bearer \(number % 2 == 1 ? "odd" : "even")"
        return (authenticated, number)
    }

    func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool {
        if place == .refused { intruder.call() }
        return true
    }

    func credentialIdentity(for request: URLRequest) -> String? {
        if place == .credentialIdentity { intruder.call() }
        return place == .credentialIdentity ? "me" : nil
    }
}

/// Has intruders observe storages of credentials. Other storages have no observers.
private enum CredentialObserver {
    private struct Entry: Sendable {
        weak let storage: CredentialStorage?
        let intruder: Intruder
    }

    private static let entries = Lock<[Entry]>([])

    private static let observing: Void = CredentialStorage.publishChanges { storage in
        let intruder = entries.withLock { $0.first { $0.storage === storage }?.intruder }
        intruder?.call()
    }

    static func storage(for intruder: Intruder) -> CredentialStorage {
        observing
        let storage = CredentialStorage()
        entries.withLock { entries in
            entries.removeAll { $0.storage == nil }
            entries.append(Entry(storage: storage, intruder: intruder))
        }
        return storage
    }

    /// Returns after the observers of each change so far.
    static func settle() async {
        await withCheckedContinuation { done in CredentialStorage.publication.async { done.resume() } }
    }
}

/// Looks something up for each hop, which is there at once.
private struct Lookups: HopPolicy {
    let interests = HopInterests.preparation
    private let intruder: Intruder
    private let isCancellation: Bool

    init(_ intruder: Intruder, isCancellation: Bool) {
        (self.intruder, self.isCancellation) = (intruder, isCancellation)
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        .lookUp { [self] completion in
            if !isCancellation { intruder.call() }
            completion(.ready)
            return { if isCancellation { intruder.call() } }
        }
    }
}
