// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernIO
import TernLock

/// A request, from `resume()` to its end, and the handle to control it. A session creates it. A task may send several
/// requests: it follows redirects and answers challenges.
///
/// All public members may be used on any thread, at any time, in any order.
// A lock guards `lifecycle`. The driver is used only on the reactor's thread, and before `resume()` by the thread that
// creates the task. Hence `@unchecked Sendable`.
open class SessionTask: AttemptDriver, @unchecked Sendable {
    /// Unique within the process.
    public let taskIdentifier: Int
    /// The request as given, without the session's defaults.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public let originalRequest: URLRequest

    /// As in URLSession.
    public enum State: Int, Sendable, Hashable {
        /// The task has been started, and works or waits.
        case running
        /// The task has not been started, or was suspended: no bytes are read from its socket.
        case suspended
        /// `cancel()` was called, and the end follows.
        case canceling
        /// The task has ended, well or not.
        case completed
    }

    final let lifecycle: Lock<TaskLifecycle<Shard<AttemptDriver>>>
    private let cancellation = Atomic<Bool>(false)
    final let defaults: TaskDefaults
    final let table: TaskTable<SessionTask>?
    final let contentCounts = ContentCounts()

    /// What runs on the reactor. Only `TaskDriver.swift` knows what is in it.
    @safe @exclusivity(unchecked) final var driver: TaskDriver
    /// What the attempts of the hop have in common.
    @safe @exclusivity(unchecked) final var hopAttempts = HopAttempts()
    /// Guarded by the table's lock.
    final var tableIndex: Int32 = -1
    /// Whether anybody but the delegate is told what the task does. Written before the task starts, and then on the reactor's
    /// thread, as `watchers`.
    final private(set) var isObserved = false
    @safe @exclusivity(unchecked) final private var watchers: TaskWatchers?

    /// Without a shard the task fails as soon as it is started.
    ///
    /// - Parameter chain: the redirects that have led to the request already.
    init(
        request: borrowing URLRequest, delegate: borrowing any SessionTaskDelegate, defaults: borrowing TaskDefaults,
        at place: TaskPlace?, after chain: consuming RedirectChain = RedirectChain()
    ) {
        taskIdentifier = Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
        originalRequest = copy request
        self.defaults = copy defaults
        table = place?.table
        driver = TaskDriver(copy request, copy delegate, copy defaults, after: chain)
        lifecycle = Lock(TaskLifecycle(shard: place?.shard))
    }

    /// Creates a task of no session, for a class of a program's tests that stands in for a task: nothing is sent, and it fails
    /// when it is started.
    public override init() {
        let (request, defaults) = (URLRequest(withoutURL: ()), TaskDefaults.ofNoSession)
        taskIdentifier = Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
        originalRequest = request
        self.defaults = defaults
        table = nil
        driver = TaskDriver(request, NoOpTaskDelegate.shared, defaults, after: RedirectChain())
        lifecycle = Lock(TaskLifecycle(shard: nil))
    }

    /// The task was made: its observers are told, where it is made.
    @inline(__always)
    final func created() { if let observers = defaults.observers { created(observers) } }

    private static let nextIdentifier = Atomic<Int>(0)

    // What a class of a program's tests may override

    /// Starts the task, or reverts one `suspend()`. Further calls have no effect.
    open func resume() { resume(runsInline: false) }

    /// Stops reading from the socket until `resume()`, so that a slow consumer slows the server down instead of filling
    /// memory. Counted. Received bytes wait as well; sending continues.
    open func suspend() {
        let (shard, stops) = lifecycle.withLock { $0.suspend() }
        if stops { TaskStateObservers.changed(taskIdentifier, runs: false, unless: isCancelled) }
        shard?.perform { _ in self.updatePause() }
    }

    /// Ends the task with `.cancelled` and closes the connection it is using. A task that has completed stays as it is.
    open func cancel() {
        cancellation.store(true, ordering: .relaxed)
        let now = exactNow
        let (stage, shard) = lifecycle.withLock { state in
            if state.cancel(at: now) { table?.began() }
            return (state.stage, state.shard)
        }
        if case .completed = stage { return }
        if let shard { shard.deliver(.cancel, from: self) } else { endLater(.cancelled, phase: .request, on: nil) }
    }

    /// The state of the task. A task that is suspended when its session ends, or later, is `.suspended` from then on.
    open var state: State {
        let isCancelled = isCancelled
        return lifecycle.withLock { state in
            if state.isAbandoned, state.suspensions > 0 { return .suspended }
            return switch state.stage {
            case .completed: .completed
            case .created: isCancelled ? .canceling : .suspended
            case .started: isCancelled ? .canceling : state.suspensions > 0 ? .suspended : .running
            }
        }
    }

    /// The request that is sent now: the original request until a redirect is followed.
    open var currentRequest: URLRequest? { lifecycle.withLock { $0.currentRequest } ?? originalRequest }

    // The attempts of the task itself

    final override var task: (any AttemptOwner)? { self }

    /// Whether the task was cancelled, even if the reactor has not processed that yet: no work needs to be begun for it
    /// any more.
    final override var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    final override var isRepeating: Bool { hopAttempts.needsUnusedConnection }

    final override var isWanted: Bool { isAttempting }

    final override func start(on connection: Connection, _ prepared: PreparedExchange?) -> Bool {
        if defaults.recorder == nil {
            connection.start(self, attempt.hop ?? plannedHop, taskDeadlines, prepared: prepared)
        } else {
            record(self, on: connection, prepared)
        }
        return true
    }

    final override func attemptFailed(_ failure: AttemptFailure) { failed(failure) }

    final override func perform(_ command: TaskCommand) {
        switch command {
        case .start: start()
        case .cancel: cancelNow()
        case .abandonBody: abandonBodyNow()
        }
    }

    final override func returned(_ command: TaskCommand) {
        switch command {
        case .start: endWithoutLoop()
        case .cancel, .abandonBody: endLater(.cancelled, phase: .request, on: nil)
        }
    }

    // Overridden by the kinds of tasks, on the reactor's thread.

    /// Whether the session retains the task until it has ended.
    var isListed: Bool { true }

    /// Starts the work of the task.
    func begin(on shard: Shard<AttemptDriver>) { beginHops() }

    func cancelNow() { cancelExchange() }

    func updatePause() { pauseExchange() }

    /// Returns a task that makes a file of the response from now on, in place of this one; nil if there can be none.
    func download(of response: HTTPURLResponse) -> SessionTask? { nil }

    /// The exchange is over. Prepares the result of the task, and calls `complete`, now or later.
    func finalize(_ error: SessionError?) { complete(error) }

    /// The task is ended again while it prepares its end.
    func finalizeSooner(_ error: SessionError?) {}
}

// The controls
extension SessionTask {
    /// `resume()`, and on this thread if the reactor sleeps: for a delegate that runs no user code while a request is
    /// sent. The caller may hold a lock, so a task that must ask for content is started like any other.
    package func resumeHere() { resume(runsInline: mayRunInline) }

    /// `resume()`, but a task that it starts is not sent before `sendHere()`. Returns whether it waits for that.
    package func resumeUnsent() -> Bool {
        let now = exactNow
        let resumption = lifecycle.withLock { state in
            let resumption = state.resume(at: now)
            if case .start = resumption { table?.began() }
            return resumption
        }
        switch resumption {
        case .start(_, cancels: true): cancel()
        case .start(let runs, cancels: false):
            if runs { TaskStateObservers.changed(taskIdentifier, runs: true, unless: isCancelled) }
            return true
        case .advance(let runs, let shard):
            if runs { TaskStateObservers.changed(taskIdentifier, runs: true, unless: isCancelled) }
            shard?.perform { _ in self.updatePause() }
        }
        return false
    }

    /// Sends the request of a task that waits for that, as `resumeHere()` does.
    package func sendHere() { send(runsInline: mayRunInline) }

    private var mayRunInline: Bool {
        switch originalRequest.body {
        case nil, .data: true
        default: false
        }
    }

    /// - Parameter runsInline: the task may be started on this thread if the reactor sleeps. For callers that hold no
    ///   lock: the reactor may run user code, such as a content source, on this thread.
    func resume(runsInline: Bool) { if resumeUnsent() { send(runsInline: runsInline) } }

    private func send(runsInline: Bool) {
        let (shard, isRunning) = lifecycle.withLock { ($0.shard, $0.isRunning) }
        // It may have been cancelled meanwhile.
        guard isRunning else { return }
        guard let shard else { return endWithoutLoop() }
        // A task among others is started with them, in one tick: threads that start them inline one by one would
        // keep the reactor from running.
        if runsInline, table?.isForOne != false {
            shard.deliverHere(.start, from: self)
        } else {
            shard.deliver(.start, from: self)
        }
    }

    /// Cancels the task because its session ends.
    package func abandon() {
        cancel()
        lifecycle.withLock { $0.abandon() }
    }

    /// Ends the task, whose result is not wanted any more: as `cancel()` does, but the connection may drain the rest of
    /// a short response, and be reused.
    func abandonBody() {
        let shard = lifecycle.withLock { $0.isRunning ? $0.shard : nil }
        shard?.deliver(.abandonBody, from: self)
    }

    /// Cancels a task that has been started; one that has not been started ends when it is, and not before: the caller
    /// may not wait for its end yet.
    func cancelOnceStarted() {
        if lifecycle.withLock({ $0.cancelOnStart() }) { cancel() }
    }

    /// `suspend()` and `resume()` for two threads that call them alternately but may overtake each other: a resume that
    /// comes before its suspend is not lost.
    package func hold() { hold(by: 1) }

    package func release() { hold(by: -1) }

    private func hold(by change: Int) {
        lifecycle.withLock { $0.hold(by: change) }?.perform { _ in self.updatePause() }
    }

    var isSuspended: Bool { lifecycle.withLock { $0.isSuspended } }
}

// Those who watch
extension SessionTask: ObservedTask {
    /// What the task does, from now on: read it before `resume()` for all of it. A timeline that nobody reads costs memory
    /// for ``TaskTimeline/capacity`` events; one that is asked for after the end is empty.
    public var timeline: TaskTimeline {
        let timeline = TaskTimeline()
        let (isStarted, shard) = lifecycle.withLock { state in
            let isStarted = state.stage != .created
            if !isStarted { state.timelines.append(timeline.feed) }
            return (isStarted, state.shard)
        }
        // Nobody else uses what watches the task before it starts.
        if isStarted, shard?.perform({ _ in self.watch(by: [timeline.feed]) }) != true { timeline.feed.finish() }
        return timeline
    }

    private func created(_ observers: SessionObservers) {
        if !observers.watch(own: isOwn) { return }
        isObserved = true
        let contexts = observers.created(self, isOwn: isOwn)
        if !contexts.isEmpty { watchers = TaskWatchers(contexts) }
    }

    /// Whether the library has started the task for itself.
    private var isOwn: Bool { table?.isOwn ?? false }

    /// On the reactor's thread.
    final func watch(by timelines: [TaskTimeline.Feed]) {
        if timelines.isEmpty { return }
        if state == .completed { return timelines.forEach { $0.finish() } }
        isObserved = true
        let known = watchers ?? TaskWatchers([])
        watchers = known
        known.add(timelines)
    }

    /// Tells everybody who watches the task. On the reactor's thread.
    @inline(never)
    final func observe(_ event: TaskEvent, by attempt: Int32, in hop: Int, at time: MonotonicInstant) {
        let observation = TaskObservation(
            event.closed, of: self, at: time, hop: hop, attempt: Int(attempt), isOwn: isOwn)
        // Without a closure, which would be an allocation for each event.
        let loop = loop
        let wasTelling = loop?.beginTelling() ?? false
        defaults.observers?.observe(observation, watchers?.contexts ?? [])
        watchers?.observe(observation)
        loop?.endTelling(wasTelling)
    }

    /// Another task continues this one.
    final func handOverWatchers(to successor: SessionTask) {
        (successor.isObserved, successor.watchers) = (isObserved, watchers.take())
    }

    final func signer(of attempt: Int32, isHedge: Bool) -> (any RequestSigner)? {
        isObserved || isHopSigned ? newSigner(of: attempt, isHedge: isHedge) : nil
    }

    private func newSigner(of attempt: Int32, isHedge: Bool) -> (any RequestSigner)? {
        let hop = plannedHop
        // A signature is a credential: it is for the origin of the original request.
        let own = hop.mayCarryCredentials ? hop.request.signer.map { ProgramSigner(signer: $0, loop: loop) } : nil
        guard isObserved, let observers = defaults.observers, observers.addsFields else { return own }
        let observation = TaskObservation(
            .attemptBegan(isHedge: isHedge), of: self, at: now, hop: hopAttempts.hop,
            attempt: Int(attempt), isOwn: isOwn)
        return ObserverSigner(
            observers: observers, observation: observation, contexts: watchers?.contexts ?? [], loop: loop, next: own)
    }
}

/// Has observers add their fields to an attempt.
private struct ObserverSigner: RequestSigner {
    let observers: SessionObservers
    let observation: TaskObservation
    let contexts: [(any Sendable)?]
    let loop: ReactorLoop?
    /// Signs what they have added, too.
    let next: ProgramSigner?

    func sign(_ request: inout URLRequest) throws {
        loop?.telling { observers.addFields(to: &request, observation, contexts) }
        try next?.sign(&request)
    }
}

/// The signer of a request, which is code of the program: what it asks for is performed in a later tick.
private struct ProgramSigner: RequestSigner {
    let signer: any RequestSigner
    let loop: ReactorLoop?

    func sign(_ request: inout URLRequest) throws {
        let wasTelling = loop?.beginTelling() ?? false
        defer { loop?.endTelling(wasTelling) }
        try signer.sign(&request)
    }
}

// Information
extension SessionTask {
    /// The head of the final response, as soon as it has arrived.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public var response: HTTPURLResponse? { lifecycle.withLock { $0.response } }

    /// The times and counts of each hop; nil until the task has completed.
    public var metrics: TaskMetrics? {
        // A task that another one has replaced has given them to that.
        lifecycle.withLock { $0.stage == .completed } && measured.end != nil ? measured : nil
    }

    /// Whether the connection of the present hop has carried an exchange before. For delegates, on the reactor.
    package var isConnectionReused: Bool {
        attempt.record?.isConnectionReused ?? metrics?.isConnectionReused ?? false
    }

    /// How often the present hop was repeated because a kept-alive connection was dead. For delegates, on the reactor.
    package var repeatCount: Int { Int(hopAttempts.repeatCount) }

    /// Why the task failed; nil while it runs and after success.
    public var error: SessionError? { lifecycle.withLock { $0.error } }

    /// The URL of a request of the task as logs and traces may have it: see ``ObservedTask/redactedURL(of:)``.
    public func redactedURL(of request: URLRequest) -> String {
        guard let url = request.url?.absoluteString else { return "" }
        return request.sensitiveFields.union(defaults.sensitiveFields).withoutSecrets(url, placeholder: "REDACTED")
    }

    /// The number of bytes of the body of `response` that have arrived, as received: coded, if the body is. A response that is
    /// not the answer does not count, and a download that begins again counts from 0.
    public var countOfBytesReceived: Int64 { contentCounts.received.load(ordering: .relaxed) }

    /// The number of bytes of the request body that were passed to the kernel; starts at 0 again if the request is sent
    /// again.
    public var countOfBytesSent: Int64 { contentCounts.sent.load(ordering: .relaxed) }

    /// The announced number of bytes of the response body; -1 if it was not announced, and before it is.
    public var countOfBytesExpectedToReceive: Int64 {
        response.map { $0.head.contentLength.map(Int64.init) ?? -1 } ?? -1
    }

    /// The number of bytes of the request body; of a file, those it has now. -1 if it is unknown, such as for a body with
    /// ``URLRequest/compression``.
    public var countOfBytesExpectedToSend: Int64 {
        if originalRequest.isCompressed { return -1 }
        guard let length = originalRequest.body?.expectedLength else { return 0 }
        return length < 0 ? originalRequest.announcedContentLength.map(Int64.init) ?? -1 : length
    }

    /// What a layer above keeps with the task, as long as the task exists. A download that takes its place gets it, too.
    package var attachment: (any AnyObject & Sendable)? {
        get { lifecycle.withLock { $0.attachment } }
        set {
            // The old value is released outside the lock.
            var other = newValue
            lifecycle.withLock { swap(&$0.attachment, &other) }
        }
    }

    /// A description set by the caller; Tern does not use it.
    public var taskDescription: String? {
        get { lifecycle.withLock { $0.description } }
        set { lifecycle.withLock { $0.description = newValue } }
    }
}

/// The shard of a task, and the table that lists it.
final class TaskPlace: Sendable {
    let shard: Shard<AttemptDriver>
    let table: TaskTable<SessionTask>?

    init(shard: Shard<AttemptDriver>, table: TaskTable<SessionTask>? = nil) {
        self.shard = shard
        self.table = table
    }

    /// The listed tasks, and those that will be listed when their reactor performs their start.
    var tasks: [SessionTask] {
        // In this order: a task is in the table before its start has been performed.
        let starting = shard.starting.compactMap { $0 as? SessionTask }.filter { $0.isListed && $0.table === table }
        let listed = table?.all ?? []
        if starting.isEmpty { return listed }
        let known = Set(listed.map(ObjectIdentifier.init))
        let running = starting.filter { $0.lifecycle.withLock { $0.isRunning } }
        return listed + running.filter { !known.contains(ObjectIdentifier($0)) }
    }
}
