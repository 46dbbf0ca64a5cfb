// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernIO
import TernLock
public import TernTLS

/// Sends requests and keeps connections alive between them. Threads, descriptors and tasks end with it: dropping a
/// session cancels what is under way, and there is nothing to shut down.
///
/// Any thread, any time.
public final class Session: Sendable {
    /// What the session was made with; nothing changes it afterwards.
    public let configuration: SessionConfiguration
    private let reactors: Result<ReactorGroup, SystemCallError>
    let shards: [Shard<SessionTask>]
    /// Of the shards, in their order.
    private let places: [TaskPlace]
    let taskDefaults: TaskDefaults
    private let currentDelegate: Lock<(any SessionDelegate)?>
    /// Whether no more tasks are taken.
    let invalidation = Atomic<Bool>(false)
    private let trust: TrustSettings
    private let nextShard = Atomic<Int>(0)

    /// A session on the process's shared reactors, or on its own if the configuration says so.
    ///
    /// A host without an entry in `serverTrustPolicyManager` is evaluated as the system would: chain, dates, name. If
    /// the reactors cannot start, which takes running out of descriptors or threads, every request fails with that
    /// error.
    public convenience init(
        configuration: SessionConfiguration = .default, delegate: (any SessionDelegate)? = nil,
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil
    ) {
        self.init(
            configuration: configuration, delegate: delegate, serverTrustPolicyManager: serverTrustPolicyManager,
            policies: HopPolicies(of: configuration))
    }

    init(
        configuration: SessionConfiguration, delegate: (any SessionDelegate)?,
        serverTrustPolicyManager: ServerTrustPolicyManager?, policies: HopPolicies,
        routes: RouteRule? = nil
    ) {
        self.configuration = configuration
        currentDelegate = Lock(delegate)
        reactors = Result { () throws(SystemCallError) in
            guard let count = configuration.reactorCount else { return try ReactorGroup.shared() }
            return try ReactorGroup(count: count)
        }
        let loops = (try? reactors.get().reactors.map(\.loop)) ?? []
        trust = TrustSettings(tls: configuration.tls, policies: serverTrustPolicyManager)
        let (trust, resolver) = (trust, Resolver())
        // Each shard may open its share of an origin's connections; a shard without a share gets no requests.
        let limit = max(1, configuration.httpMaximumConnectionsPerHost)
        shards = loops.prefix(limit).enumerated().map { index, loop in
            let share = limit / loops.count + (index < limit % loops.count ? 1 : 0)
            return Shard(
                SharedSettings(loop: loop, configuration: configuration, trust: trust, resolver: resolver),
                connectionLimit: share)
        }
        places = shards.map { TaskPlace(shard: $0, table: TaskTable()) }
        taskDefaults = TaskDefaults(
            configuration, policies: policies, routes: routes, failure: Self.failure(of: reactors))
        if delegate != nil { trust.respondent = self }
    }

    deinit { close() }

    /// Ends what is under way, and closes what is open.
    func close() {
        for shard in shards { shard.perform { $0.close() } }
        trust.close()
    }

    /// The delegate of the session, and of tasks that have no delegate of their own; nil once the session has ended.
    public var delegate: (any SessionDelegate)? { currentDelegate.withLock { $0 } }

    func takeDelegate() -> (any SessionDelegate)? { currentDelegate.withLock { $0.take() } }

    /// Which server is to be trusted how. May be set at any time, such as when pins are rotated: from the moment the
    /// setter returns, every request that is sent travels on a connection whose server the new policies accepted. Idle
    /// connections of before are closed; requests under way finish on theirs.
    public var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { trust.manager }
        set {
            trust.manager = newValue
            for shard in shards { shard.perform { $0.retireOutdated() } }
        }
    }

    /// The turns of the session's reactors.
    package var turns: Turns { Turns(loops: shards.map(\.loop)) }

    /// The executors of this session's reactors. A task that prefers one runs beside its sockets, with no thread hop:
    /// `Task(executorPreference: session.executors.first) { … }`. Empty only if the reactors could not start.
    public var executors: [any TaskExecutor] {
        (try? reactors.get().reactors) ?? []
    }

    /// Makes a task that tells `delegate` what happens. Call `resume()` to start it.
    public func dataTask(with request: URLRequest, delegate: any SessionTaskDelegate) -> SessionDataTask {
        SessionDataTask(request: request, delegate: delegate, defaults: taskDefaults, at: placeForTask)
    }

    /// The same with the session's delegate, if it has one.
    public func dataTask(with request: URLRequest) -> SessionDataTask {
        announced { dataTask(with: request, delegate: $0 ?? NoOpTaskDelegate.shared) }
    }

    /// Makes a task of the session's delegate, and tells the delegate before it returns the task.
    func announced<Kind: SessionTask>(_ make: ((any SessionDelegate)?) -> Kind) -> Kind {
        let delegate = delegate
        let task = make(delegate)
        delegate?.session(self, didCreate: task)
        return task
    }

    /// The tasks that have been started and have not ended, by shard.
    var tables: [TaskTable<SessionTask>] { places.compactMap(\.table) }

    /// On the shard whose thread we are on, because there is no hop to it; else on each in turn.
    var placeForTask: TaskPlace? {
        if places.isEmpty || invalidation.load(ordering: .relaxed) { return nil }
        for place in places where place.shard.loop.isCurrent { return place }
        if places.count == 1 { return places[0] }
        let turn = nextShard.wrappingAdd(1, ordering: .relaxed).oldValue
        return places[Int(UInt(bitPattern: turn) % UInt(places.count))]
    }

    /// What a task ends with that finds no reactor to run on.
    private static func failure(of reactors: Result<ReactorGroup, SystemCallError>) -> SessionError.Reason {
        switch reactors {
        case .success: .sessionInvalidated
        case .failure(let error): .system(error)
        }
    }
}
