// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernIO
import TernLock
public import TernTLS

/// Sends requests and keeps connections alive between them. It owns its threads, descriptors and tasks: releasing a
/// session cancels its running tasks, and no shutdown is needed.
///
/// Any thread may use it at any time.
public final class Session: Sendable {
    /// The configuration that the session was created with; it does not change.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public let configuration: SessionConfiguration
    private let reactors: Result<ReactorGroup, SystemCallError>
    let shards: [Shard<AttemptDriver>]
    private let places: TaskPlaces
    /// Those of the tasks that the library starts.
    private let ownPlaces: TaskPlaces
    let taskDefaults: TaskDefaults
    private let currentDelegate: Lock<(any SessionDelegate)?>
    /// Whether it was made with one.
    let hasDelegate: Bool
    /// Once it has begun, no more tasks are accepted.
    let invalidation = Atomic<Invalidation>(.possible)
    let end = SessionEnd()
    let permits: ConnectionPermits
    private let trust: SessionTrust
    let recentRequests = RecentRequests()

    /// Creates a session on the process's shared reactors, or on its own if the configuration says so.
    ///
    /// A host without an entry in `serverTrustPolicyManager` is evaluated with the default policy: chain, dates, name.
    /// If the reactors cannot start, because descriptors or threads have run out, every request fails with that error.
    public convenience init(
        configuration: SessionConfiguration = .default, delegate: (any SessionDelegate)? = nil,
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        self.init(
            configuration: configuration, delegate: delegate, serverTrustPolicyManager: serverTrustPolicyManager,
            firstPolicies: [])
    }

    /// Creates a session whose requests count for the rate limits of `other`, in place of those of the configuration.
    package convenience init(
        configuration: SessionConfiguration, serverTrustPolicyManager: ServerTrustPolicyManager?,
        sharingRatesOf other: Session?
    ) {
        self.init(
            configuration: configuration, delegate: nil, serverTrustPolicyManager: serverTrustPolicyManager,
            firstPolicies: [], rates: other?.taskDefaults.rates)
    }

    /// - Parameters:
    ///   - firstPolicies: are asked before those of the configuration.
    ///   - sources: may answer hops, in this order, in place of those of the configuration; nil for these.
    ///   - proxyTrust: the trust in proxies of the session that this one sends requests for; nil for its own.
    ///   - rates: the limiters of another session; nil for its own.
    ///   - makesOwnTasks: its tasks are the library's.
    init(
        configuration: SessionConfiguration, delegate: (any SessionDelegate)?,
        serverTrustPolicyManager: ServerTrustPolicyManager?, firstPolicies: [any HopPolicy],
        sources: [any ResponseSource]? = nil, routes: RouteRule? = nil,
        proxyTrust: ProxyTrust? = nil, rates: RateLimiters? = nil, makesOwnTasks: Bool = false
    ) {
        self.configuration = configuration
        let files = configuration.trustFiles?.current
        let ofFiles = files?.material.applied(to: configuration.tls)
        let configuration = ofFiles.map(configuration.applying) ?? configuration
        let policies =
            ofFiles?.policy?.manager(onPinFailure: serverTrustPolicyManager?.onPinFailure)
            ?? serverTrustPolicyManager
        currentDelegate = Lock(delegate)
        hasDelegate = delegate != nil
        reactors = Result { () throws(SystemCallError) in
            let clock = configuration.clock
            // The shared ones have the kernel's.
            guard let count = configuration.reactorCount ?? clock.map({ _ in 1 }) else {
                return try ReactorGroup.shared()
            }
            return try ReactorGroup(count: count, clock: clock)
        }
        let loops = configuration.isBackground ? [] : (try? reactors.get().reactors.map(\.loop)) ?? []
        trust = SessionTrust(
            configuration, identities: ofFiles?.identities ?? [], policies: policies, sharing: proxyTrust)
        let (trust, proxyLogins) = (trust, ProxyLogins())
        let observers = SessionObservers(configuration.observers)
        var dialled = configuration
        if configuration.cassette?.isPlaying == true { dialled.egressPolicy = .nowhere }
        let exchange = ExchangeSettings(configuration, watcher: makesOwnTasks ? nil : observers)
        let resolver = Resolver()
        let perHost = configuration.httpMaximumConnectionsPerHost
        // One proxy or socket has the connections to many hosts.
        let hasSharedRoute = configuration.unixSocket != nil || configuration.proxySettings != nil
        let limit = min(hasSharedRoute ? perHost : .max, configuration.maximumConnections ?? .max)
        permits = ConnectionPermits(
            perRoute: perHost,
            adaptsFrom: configuration.httpMinimumConnectionsPerHost, total: configuration.maximumConnections,
            idlePerRoute: configuration.maximumIdleConnectionsPerHost)
        // With more shards than connections, these would move from one to the other.
        let homes = loops.prefix(max(1, limit))
        let idleLimits = IdleConnections.limits(
            configuration.maximumIdleConnections, connectionsPerHost: perHost, shardCount: homes.count)
        shards = zip(homes, idleLimits).map { [permits] loop, idleLimit in
            Shard(
                SharedSettings(
                    loop: loop, configuration: dialled, trust: trust, proxyLogins: proxyLogins, resolver: resolver,
                    exchange: exchange),
                permits, idleLimit: idleLimit)
        }
        DescriptorShortage.add(shards)
        places = TaskPlaces(shards, connectionsPerHost: perHost, areOwn: makesOwnTasks)
        ownPlaces = TaskPlaces(shards, connectionsPerHost: perHost, areOwn: true)
        let validation = ValidationSender()
        let configured: [(any ResponseSource)?] = [
            Providers(of: configuration), validation.cache(of: configuration), CassettePlayer(of: configuration),
        ]
        taskDefaults = TaskDefaults(
            of: configuration, firstPolicies, sources ?? configured.compactMap(\.self), routes, trust, proxyLogins,
            rates: rates, observers: observers, timerOn: loops.first,
            failure: configuration.isBackground ? .request(.backgroundSession) : Self.failure(of: reactors))
        if delegate != nil { trust.respondent = self }
        validation.session = self
        if let files { configuration.trustFiles?.add(self, having: files.version) }
    }

    deinit { close() }

    /// Ends running tasks, and closes connections.
    func close() {
        configuration.trustFiles?.remove(ObjectIdentifier(self))
        DescriptorShortage.remove(shards)
        for shard in shards { shard.perform { $0.close() } }
        trust.close()
    }

    /// The delegate of the session, and of tasks that have no delegate of their own; nil once the session has ended.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public var delegate: (any SessionDelegate)? { currentDelegate.withLock { $0 } }

    func takeDelegate() -> (any SessionDelegate)? { currentDelegate.withLock { $0.take() } }

    /// The trust policies of servers. May be set at any time, for example when pins are rotated: from the moment the
    /// setter returns, every request that is sent uses a connection whose server the new policies accepted. Older idle
    /// connections are closed; running requests finish on theirs.
    public var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { trust.value.origins.manager }
        set { replaceTrust(SessionTrust.Change(policies: .some(newValue)), SessionTrust.Change()) }
    }

    /// The event loops of the session's reactors.
    package var eventLoops: EventLoops { EventLoops(loops: shards.map(\.loop)) }

    /// The executors of this session's reactors. A task that prefers one runs beside its sockets, with no thread hop:
    /// `Task(executorPreference: session.executors.first) { … }`. Empty only if the reactors could not start.
    public var executors: [any TaskExecutor] {
        (try? reactors.get().reactors) ?? []
    }

    /// Creates a task that calls `delegate`. Call `resume()` to start it.
    public func dataTask(with request: URLRequest, delegate: any SessionTaskDelegate) -> SessionDataTask {
        made(SessionDataTask(request: request, delegate: delegate, defaults: taskDefaults, at: taskPlace(for: request)))
    }

    /// Tells the observers of a task that was made.
    @inline(__always)
    func made<Kind: SessionTask>(_ task: Kind) -> Kind {
        task.created()
        return task
    }

    /// The same with the session's delegate, if it has one.
    public func dataTask(with request: URLRequest) -> SessionDataTask {
        announced { dataTask(with: request, delegate: $0 ?? NoOpTaskDelegate.shared) }
    }

    /// Creates a task of the session's delegate, and calls the delegate before it returns the task.
    func announced<Kind: SessionTask>(_ make: ((any SessionDelegate)?) -> Kind) -> Kind {
        let delegate = delegate
        let task = make(delegate)
        delegate?.session(self, didCreate: task)
        return task
    }

    /// The tasks that have been started and have not ended. Tasks that other threads start or end meanwhile may be
    /// included or not. A stream task without a delegate is not included.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public var allTasks: [SessionTask] { places.all.flatMap(\.tasks) }

    /// The same of the tasks that the library has started.
    var ownTasks: [SessionTask] { ownPlaces.all.flatMap(\.tasks) }

    /// The lists of the program's tasks, by shard.
    var tables: [TaskTable<SessionTask>] { places.all.compactMap(\.table) }

    /// The place for a task; nil if no tasks are accepted.
    func taskPlace(for request: URLRequest) -> TaskPlace? {
        invalidation.load(ordering: .relaxed) == .begun ? nil : places.place(for: request)
    }

    /// The places that tasks for such a request may get.
    func taskPlaces(for request: URLRequest) -> [TaskPlace] {
        invalidation.load(ordering: .relaxed) == .begun ? [] : places.places(for: request)
    }

    /// The error of a task without a reactor to run on.
    private static func failure(of reactors: Result<ReactorGroup, SystemCallError>) -> SessionError.Reason {
        switch reactors {
        case .success: .sessionInvalidated
        case .failure(let error): .system(error)
        }
    }
}

extension Session: TaskHome {
    func ownTaskPlace(for request: URLRequest) -> TaskPlace? {
        invalidation.load(ordering: .relaxed) == .begun ? nil : ownPlaces.place(for: request)
    }
}

// Trust that is read from files.
extension Session: TrustMaterialUser {
    func replaceTrust(
        with material: TrustMaterial, changed: Set<TrustFilePaths.Part>
    ) throws(TLSError) {
        let (ofFiles, value) = (material.applied(to: configuration.tls), trust.value)
        let applied = configuration.applying(ofFiles)
        // Everything that takes time, or can fail, comes before what replaces.
        var origins = SessionTrust.Change(
            try value.origins.replacement(by: applied.tls, identities: ofFiles.identities),
            of: applied, proxyTrust: trust.proxyTrust)
        var proxies = SessionTrust.Change(
            try value.proxies.replacement(by: applied.forProxies.tls), of: applied.forProxies, proxyTrust: nil)
        if changed.contains(.policy), let policy = ofFiles.policy {
            origins.policies = policy.manager(onPinFailure: value.origins.manager?.onPinFailure)
        }
        if changed.contains(.proxyPolicy), let policies = applied.proxyTrustPolicyManager {
            proxies.policies = policies
        }
        replaceTrust(origins, proxies)
    }

    /// Policies of origins are those of proxies, too, unless these have their own.
    private func replaceTrust(_ origins: SessionTrust.Change, _ proxies: SessionTrust.Change) {
        var proxies = proxies
        if let policies: ServerTrustPolicyManager? = origins.policies,
            configuration.trustFiles?.paths.proxyPolicy == nil
        {
            let ofProxies: ServerTrustPolicyManager? = configuration.proxyTrustPolicyManager ?? policies
            proxies.policies = .some(ofProxies)
        }
        trust.replace(origins, proxies)
        for shard in shards { shard.perform { $0.retireOutdated() } }
    }
}

// The delegate's trust challenges.
extension Session: TrustRespondent {
    var answersServerTrust: Bool { delegate?.answersServerTrustChallenges ?? false }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        guard let delegate else { return question.answer(.performDefaultHandling) }
        delegate.session(self, didReceive: challenge, question)
    }
}

/// Whether a session accepts tasks, and for how long.
enum Invalidation: UInt8, AtomicRepresentable { case possible, begun, ruledOut }
