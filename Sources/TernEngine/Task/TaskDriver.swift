// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernIO
import TernLock

/// The part of a task that runs on the reactor: the progress of its hops, and what is measured. A value, because an object would be one more allocation for each task. Only this file reads and changes it:
/// for others the extensions below have what they need.
///
/// A value without exclusivity checks runs no user code while it changes, and releases no user objects: they are moved
/// out first. So accesses never overlap.
struct TaskDriver: ~Copyable {
    /// Until the end, so that the delegate may retain the task.
    fileprivate var delegate: any SessionTaskDelegate
    /// The delegate as a receiver of content; nil before the first lookup.
    fileprivate var knownReceiver: (any ContentReceiver)??
    fileprivate var machine: TaskMachine
    /// How the content of the answer is decoded; nil if it is delivered as it arrives.
    fileprivate var decoding: ContentDecoding?
    fileprivate var deadlines: Deadlines
    /// For any thread once the task has completed: it does not change then.
    fileprivate var measured: TaskMetrics?
    /// That of the request itself; nil without one.
    fileprivate var limiter: RateLimiter?
    /// While the task waits for a lookup or a delay.
    fileprivate var timer: TaskTimer<SessionTask>?
    /// While the hop may have a second attempt; of the second attempt, too.
    fileprivate var hedge: Hedge?

    @inline(__always)
    init(
        _ request: URLRequest, _ delegate: any SessionTaskDelegate, _ defaults: TaskDefaults, after chain: RedirectChain
    ) {
        self.delegate = delegate
        machine = TaskMachine(request, policies: defaults.policies, after: chain)
        deadlines = Deadlines(
            limits: defaults.timeouts(for: request), start: MonotonicInstant(nanoseconds: 0))
    }
}

// What the kinds of tasks, the pool and the delegates of the engine need
extension SessionTask {
    final var delegate: any SessionTaskDelegate { driver.delegate }

    /// For any thread once the task has completed: it does not change then.
    final var measured: TaskMetrics? { driver.measured }

    final var deadlines: Deadlines { driver.deadlines }

    /// The hop as it is planned: the request that is sent now, or was sent last.
    final var plannedHop: Hop { driver.machine.hop }

    /// Whether the hop is to be sent, and no response has come.
    final var isAttempting: Bool { driver.machine.isAttempting }

    /// Whether an exchange is in progress.
    final var isCarried: Bool { attempt.carrier != nil }

    /// Ends the exchange. False if there is none.
    final func endExchange() -> Bool {
        guard let carrier = attempt.carrier else { return false }
        carrier.end(.cancelled)
        return true
    }

    /// Whether the task waits for a lookup or a delay.
    final var isWaiting: Bool { driver.timer != nil }

    /// What the program sees as the response: for a task that continues one.
    final func keep(_ response: HTTPURLResponse) { lifecycle.withLock { $0.response = response } }

    /// The request of the hop without what policies added.
    final var hopRequest: URLRequest { driver.machine.history.request }

    /// A stream has taken over a connection.
    final func measure(from start: MonotonicInstant) { driver.measured = TaskMetrics(originalRequest, start: start) }

    final func measure(opened connection: ConnectionMetrics) { driver.measured?.opened(connection) }

    final func beginHops() { follow(driver.machine.begin(since: driver.deadlines.start)) }

    final func pauseExchange() {
        let isSuspended = isSuspended
        // Others do not wait for a reader that does not read.
        if isSuspended { driver.machine.paused() }
        attempt.carrier?.isPaused = isSuspended || driver.machine.isAsking
    }

    /// Calls `delegate` from now on.
    final func change(_ delegate: any SessionTaskDelegate) {
        var other = delegate
        swap(&other, &driver.delegate)
        _ = driver.knownReceiver.take()
    }
}

// On the reactor's thread: the task performs the actions of its machine, and reports events to it.
extension SessionTask {
    func start() {
        // A cancellation from another thread may have come before the start that it cancels.
        if isCancelled || !driver.machine.start() { return }
        let (shard, start) = lifecycle.withLock { ($0.isRunning ? $0.shard : nil, $0.start) }
        guard let shard, let start else { return }
        if isListed { table?.add(self) }
        driver.measured = TaskMetrics(originalRequest, start: start)
        driver.deadlines.start = start
        begin(on: shard)
    }

    /// Performs the machine's action.
    func follow(_ next: TaskMachine.Next) {
        switch next {
        case .wait: awaitEvent()
        case .send: withShard { beginAttempt(on: $0) }
        case .refuse(let reason): failLater(AttemptFailure(reason: reason, phase: .request), on: loop)
        case .repeat:
            attempt.noteRepeat()
            withShard { beginAttempt(on: $0) }
        case .resolve: withShard { resolve(on: $0) }
        case .provide(let providers, let number): withShard { ask(providers, number, on: $0) }
        case .lookUp(let lookup, let number): withShard { look(up: lookup, number, on: $0) }
        case .awaitNetwork(let lookup, let number, let isFirst):
            driver.measured?.awaitsNetwork()
            if isFirst { driver.delegate.handle(.waitingForConnectivity, of: self) }
            withShard { look(up: lookup, number, on: $0) }
        case .delay(let delay):
            withShard { wait(on: $0, for: delay) }
        case .answer(let source):
            withShard { source.start(self, on: $0.loop, driver.deadlines) }
        case .deliver(let question, let isComplete): deliver(question, isComplete)
        case .askContent: askForContent()
        case .askRetry(let retry): ask(about: retry)
        case .complete: end(nil)
        case .fail(let reason, let isSafeToRepeat):
            if let carrier = attempt.carrier { return carrier.end(reason) }
            end(
                error(
                    reason, phase: driver.measured?.responseStart == nil ? .head : .body, isSafeToRepeat: isSafeToRepeat
                ))
        case .failed(let failure, let isSafeToRepeat): end(failure, isSafeToRepeat)
        }
    }

    /// Nothing happens until an event occurs. A connection watches the task's time; without one, and while the delegate has
    /// not answered, the task does.
    private func awaitEvent() {
        updatePause()
        if attempt.carrier == nil, driver.timer == nil, driver.machine.isAsking { withShard { wait(on: $0) } }
    }

    private func withShard(_ body: (Shard<SessionTask>) -> Void) {
        guard let shard = lifecycle.withLock({ $0.shard }) else { return }
        if shard.isClosed { return endLater(.sessionInvalidated, phase: .request, on: shard.loop) }
        body(shard)
    }

    /// Resolves the route of the hop, for the response source. May call code of the user: a closure that chooses proxies,
    /// and policies of trust.
    private func resolve(on shard: Shard<SessionTask>) {
        noteHop()
        let key: [[UInt8]]
        do throws(RouteRule.Refusal) {
            key = try defaults.routes.cacheKey(of: defaults.routes.route(for: plannedHop.request))
        } catch {
            // A refusal counts for stored responses, too.
            if case .connecting = error { return follow(driver.machine.unresolved(error.reason)) }
            return failLater(AttemptFailure(reason: error.reason, phase: .request), on: shard.loop)
        }
        follow(driver.machine.resolved(key))
    }

    /// The hop is about to be answered: it has what policies added, which the program sees before it is sent.
    func noteHop() {
        let number = driver.machine.history.hop.number
        guard number > 0 || driver.machine.history.isPrepared else { return }
        if driver.measured?.number != number {
            // That of the hop before.
            if let status = driver.machine.cacheStatus { driver.measured?.handled(by: status) }
            driver.measured?.beginHop(
                plannedHop, redirectCount: driver.machine.history.chain.count,
                after: driver.machine.history.retries.last, loop?.now ?? .now)
            attempt.beginHop()
        }
        if driver.machine.history.isPrepared { tellPrepared(plannedHop.request) }
    }

    /// The program sees the request in the form in which it is sent.
    func tellPrepared(_ request: URLRequest) {
        let previous = lifecycle.withLock { state in
            defer { state.currentRequest = request }
            return state.currentRequest
        }
        driver.measured?.prepare(request)
        withExtendedLifetime(previous) {}
    }

    /// Has the attempt wait for the rate, for as long as the task has time and its session exists.
    func waitForRate(on shard: Shard<SessionTask>) {
        attempt.wait.since = shard.loop.now
        driver.timer = TaskTimer(on: shard, delay: nil, total: driver.deadlines.total) { [weak self] outcome in
            guard let self, case .failed(let reason) = outcome else { return }
            endWaitForRate()
            attempt.failed()
            attemptFailed(AttemptFailure(reason: reason, phase: .request))
        }
    }

    /// Before the attempt forgets the one before it.
    func beginsAttempt() {
        driver.measured?.beginAttempt(
            EarlierAttempt(
                route: attempt.route, retry: driver.machine.history.retries.last,
                isRepeated: attempt.repeatCount > driver.measured?.repeatCount ?? 0, now: loop?.now ?? .now))
    }

    var isRepeatable: Bool { driver.machine.isHopRepeatable }

    func waited(since start: MonotonicInstant, until end: MonotonicInstant) {
        driver.measured?.waited(since: start, until: end)
    }

    func lost(_ connection: FailedConnectionMetrics) { driver.measured?.lost(connection) }

    /// What the task waits for has come.
    func endWait() { driver.timer.take()?.cancel() }

    /// An attempt has no response.
    func attemptFailed(_ failure: AttemptFailure) {
        if driver.hedge != nil, isHeld(failure) { return }
        let next = driver.machine.failed(failure, wasRepeated: attempt.repeatCount > 0)
        guard case .fail(let reason, let isSafeToRepeat) = next else {
            driver.measured?.failed(failure.reason, at: loop?.now ?? .now)
            return move(next)
        }
        end(
            AttemptFailure(reason: reason, phase: failure.phase, remoteAddress: failure.remoteAddress), isSafeToRepeat)
    }

    private func end(_ failure: AttemptFailure, _ isSafeToRepeat: Bool) {
        end(
            error(
                failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress,
                isSafeToRepeat: isSafeToRepeat))
    }

    /// The same, in a later tick.
    func failLater(_ failure: AttemptFailure, on loop: ReactorLoop?) {
        Self.perform(on: loop) { self.attemptFailed(failure) }
    }

    /// Waits without a connection: for a delay, or for a lookup.
    private func wait(
        on shard: Shard<SessionTask>, for delay: Duration? = nil,
        _ next: @escaping (inout TaskMachine) -> TaskMachine.Next = { $0.delayEnded() }
    ) {
        driver.timer = TaskTimer(on: shard, delay: delay, total: driver.deadlines.total) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .over: follow(next(&driver.machine))
            case .failed(let reason): end(error(reason, phase: .request))
            }
        }
    }

    private func look(up lookup: HopLookup, _ number: UInt64, on shard: Shard<SessionTask>) {
        let cancellation = lookup { preparation in
            shard.perform { _ in
                self.endWait()
                self.follow(self.driver.machine.lookedUp(number, preparation))
            }
        }
        // A result that was at hand has come within the call.
        guard driver.machine.awaits(lookup: number) else { return cancellation() }
        wait(on: shard)
        driver.timer?.whenOver(cancellation)
    }

    /// Asks the response providers, which may call code of the user elsewhere.
    private func ask(_ providers: any ProvidedHops, _ number: UInt64, on shard: Shard<SessionTask>) {
        noteHop()
        let finding = ProviderFinding()
        wait(on: shard)
        providers.find(for: plannedHop, of: hopRequest, self) { found in
            finding.put(found)
            shard.perform { _ in
                // The task may have ended, or wait for something else.
                guard self.driver.machine.awaits(lookup: number) else { return finding.discard() }
                self.endWait()
                self.follow(self.driver.machine.provided(number, finding.take()))
            }
        }
    }

    func cancelExchange() { cancelAttempt(.cancelled) }

    /// Ends, and leaves the rest of the response to the connection.
    func abandonBodyNow() {
        guard driver.machine.isDelivering, let carrier = attempt.carrier else { return cancelNow() }
        settle(carrier.leaveRest())
        end(error(.cancelled, phase: .body))
    }

    /// The exchange is over: the connection no longer belongs to this task.
    private func settle(_ evidence: Evidence) {
        attempt.ended()
        // A stored response adds nothing to what was measured of a connection before it.
        if !evidence.isStored { driver.measured?.settle(evidence) }
    }

    /// Also if the connection is gone.
    var loop: ReactorLoop? { attempt.carrier?.loop ?? lifecycle.withLock { $0.shard }?.loop }
}

extension SessionTask: TableMember {}

extension SessionTask: ExchangeDelegate {
    func exchangeBegan(on carrier: any Carrier) {
        attempt.began(on: carrier)
        contentCounts.sent.store(0, ordering: .relaxed)
        let connection = carrier.connectionMetrics
        driver.measured?.begin(on: carrier, connection, repeatCount: Int(attempt.repeatCount))
        if isSuspended { carrier.isPaused = true }
        if let connection { driver.delegate.handle(.willSend(on: connection), of: self) }
        if let hedging = driver.machine.hedging { plan(hedging) }
    }

    var pace: Pace? {
        defaults.pace(
            for: originalRequest, to: try? plannedHop.request.destination.get().origin, &driver.limiter)
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        guard driver.machine.isDelivering, driver.decoding == nil else { return nil }
        return unsafe receiver?.room(for: count)
    }

    /// The delegate, if it provides buffers for content: looked up once for each large body, because looking up the
    /// protocol costs as much as a small read.
    private var receiver: (any ContentReceiver)? {
        if let knownReceiver = driver.knownReceiver { return knownReceiver }
        let receiver = driver.delegate as? any ContentReceiver
        driver.knownReceiver = .some(receiver)
        return receiver
    }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        switch event {
        case .body(let range):
            let taken = content(bytes.extracting(range), &allowance)
            contentCounts.received.add(Int64(taken.count(of: range.count)), ordering: .relaxed)
            return taken
        case .head(let head): received(head)
        case .informational(let head):
            driver.delegate.handle(.informational(driver.machine.response(head)), of: self)
        case .end(let trailers, let discarded):
            if let question = driver.machine.question { question.trailers = (trailers, discarded) }
            if driver.machine.isDelivering, finishDecoding() { tell(trailers, discarded) }
        case .needMoreBytes, .handedOver: break
        }
        return .all
    }

    private func content(_ bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        switch driver.machine.content(bytes.count) {
        case .deliver:
            if let decoding = driver.decoding {
                let taken = decode(bytes, by: decoding, &allowance)
                driver.machine.tee?.received(bytes.extracting(first: taken.count(of: bytes.count)))
                return taken
            }
            driver.machine.tee?.received(bytes)
            if !bytes.isEmpty { driver.delegate.task(self, didReceive: bytes) }
        case .drop: driver.machine.tee?.received(bytes)
        case .pause: return .some(0)
        case .leave:
            if let carrier = attempt.carrier { settle(carrier.leave()) }
            follow(driver.machine.leftBehind())
        }
        return .all
    }

    /// Decodes and delivers until the tick is over, the task is paused, or all bytes are consumed.
    private func decode(
        _ bytes: Span<UInt8>, by decoding: ContentDecoding, _ allowance: inout TickAllowance
    ) -> ContentTaken {
        do throws(ContentDecodingError) {
            let taken = try decoding.receive(bytes) { piece, price in
                allowance.spend(max(TickAllowance.event, price))
                if !piece.isEmpty { driver.delegate.task(self, didReceive: piece) }
                return !allowance.isSpent && attempt.carrier?.isPaused == false
            }
            return taken == bytes.count && !decoding.hasMore ? .all : .some(taken)
        } catch {
            attempt.carrier?.end(.transfer(.undecodable(error)))
            return .all
        }
    }

    /// The coded content is complete. False, and the task ends, if its coding is incomplete.
    private func finishDecoding() -> Bool {
        do throws(ContentDecodingError) {
            try driver.decoding?.finish()
            return true
        } catch {
            attempt.carrier?.end(.transfer(.undecodable(error)))
            return false
        }
    }

    private func received(_ head: ResponseHead) {
        guard let carrier = attempt.carrier else { return }
        driver.measured?.received(head, carrier.loop.now)
        // Before the machine, which may move to the next hop.
        let response = driver.machine.response(head)
        let isForProxy = attempt.form != nil && defaults.proxies.map { attempt.answersProxy(head, $0) } ?? false
        if let hedge = driver.hedge, !isForProxy {
            if hedge.isSecond(self) { return hedge.task?.take(from: hedge, head) ?? () }
            endHedge()
        }
        act(on: driver.machine.head(head, isForProxy: isForProxy, from: carrier.connectionMetrics), response, carrier)
    }

    private func act(
        on answer: TaskMachine.HeadAnswer, _ response: consuming HTTPURLResponse, _ carrier: any Carrier
    ) {
        switch answer {
        case .deliver: deliver(response, on: carrier.loop)
        case .discard: driver.delegate.handle(.discarded(response), of: self)
        case .call(let body):
            let decision = body()
            // The task may have ended in the call.
            if attempt.carrier === carrier { act(on: driver.machine.decided(decision), response, carrier) }
        case .ask(let request): ask(about: request, response)
        case .challenge(let proposal): askForCredentials(proposal, response)
        case .retry(let retry):
            driver.machine.question?.response = response
            ask(about: retry)
        case .askContent:
            driver.machine.question?.response = response
            askForContent()
        case .fail(let reason):
            driver.delegate.handle(.discarded(response), of: self)
            carrier.end(reason)
        }
    }

    func tell(_ trailers: HeaderFields, _ discarded: HeaderFields) {
        if !trailers.isEmpty { driver.delegate.handle(.trailers(trailers), of: self) }
        if !discarded.isEmpty { driver.delegate.handle(.discardedTrailers(discarded), of: self) }
    }

    var takesOver: Bool { driver.machine.isDelivering && takesOverConnections }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {
        settle(evidence)
        takeOver(handover)
    }

    func sent(_ count: Int64, of length: Int64?) {
        let before = contentCounts.sent.exchange(count, ordering: .relaxed)
        driver.delegate.handle(.sentBodyData(count &- before, total: count, expected: length ?? -1), of: self)
    }

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {
        settle(evidence)
        switch reason {
        case nil: follow(driver.machine.ended())
        case .request(.invalid(let error)):
            connectionFailed(DialFailure(reason: .request(.invalid(error)), phase: .request))
        case let reason?:
            let failure = AttemptFailure(reason: reason, phase: .head, evidence: evidence)
            if driver.hedge != nil, isHeld(failure) { return }
            let rest = driver.machine.isDelivering && !evidence.isStored ? requestOfRest(after: reason) : nil
            let isOutcome = driver.machine.isAttempting || driver.machine.isDelivering
            let next = driver.machine.failed(failure, wasRepeated: attempt.repeatCount > 0, rest: rest)
            if isOutcome, !evidence.isStored { driver.measured?.failed(reason, at: loop?.now ?? .now) }
            follow(next)
        }
    }
}

/// A second attempt of a hop, beside the task's own. The first answer becomes the task's, and the other attempt is left. On
/// the reactor's thread of both, hence `@unchecked Sendable`.
///
/// The second attempt is a task of its own without policies. It becomes no more than a carrier: when the head of its response
/// arrives, the task takes over its exchange.
final class Hedge: @unchecked Sendable {
    private(set) weak var task: SessionTask?
    /// The task's own attempt was sent then.
    let start: MonotonicInstant
    /// Until the second attempt begins.
    fileprivate var timer: TaskTimer<SessionTask>?
    /// The second attempt.
    fileprivate var second: SessionTask?
    fileprivate var secondStart: MonotonicInstant?
    /// The task's own attempt has ended so; nil while it goes on.
    fileprivate var failure: AttemptFailure?

    init(of task: SessionTask, at start: MonotonicInstant) { (self.task, self.start) = (task, start) }
}

// What the task asks and tells
extension Hedge {
    /// Whether this is the second attempt.
    func isSecond(_ task: SessionTask) -> Bool { second === task }

    /// Has the second attempt begin after this delay.
    func plan(after delay: Duration, on shard: Shard<SessionTask>) {
        timer = TaskTimer(on: shard, delay: delay, total: nil) { [weak self] outcome in
            guard let self, case .over = outcome else { return }
            timer = nil
            guard let second = task?.second(beside: self) else { return }
            (self.second, secondStart) = (second, shard.loop.now)
            second.begin(as: self, on: shard)
        }
    }

    /// The task's own attempt has no response. False if the second is not being made: nothing but this failure is left.
    func holds(_ failure: AttemptFailure) -> Bool {
        if second == nil { return false }
        self.failure = failure
        return true
    }

    /// The task's own attempt goes on, and has no answer.
    var isFirstOpen: Bool { failure == nil }

    /// Its attempt is over, or is the only one left.
    func end() {
        timer.take()?.cancel()
        guard let second = second.take() else { return }
        second.leaveHedge()
        second.cancelAttempt(.cancelled)
    }

    /// The second attempt is over without a cancellation. The task goes on with its own.
    fileprivate func lostSecond() {
        second = nil
        if let failure = failure.take() { task?.hedgeFailed(failure) }
    }

    /// What there was of a second attempt; nil if there was none.
    func metrics(isAnswer: Bool) -> HedgeMetrics? {
        secondStart.map { HedgeMetrics(start: $0, isAnswer: isAnswer) }
    }

    /// The second attempt has an answer: the task takes over its exchange.
    func takeSecond() -> SessionTask? {
        timer.take()?.cancel()
        return second.take()
    }
}

/// The delegate of the second attempt.
extension Hedge: SessionTaskDelegate {
    var answersServerTrustChallenges: Bool { task?.delegate.answersServerTrustChallenges ?? false }

    func handle(_ event: TaskEvent, of other: SessionTask) {
        switch event {
        case .serverTrust(_, let question):
            guard let task else { return question.answer(.performDefaultHandling) }
            task.delegate.handle(event, of: task)
        case .completed: if isSecond(other) { lostSecond() }
        case .waitingForConnectivity, .willSend, .sentBodyData, .informational, .discarded, .trailers,
            .discardedTrailers:
            break
        // None of them comes: the task takes over with the head of the response.
        case .willRetry(_, let question): question.answer(.doNotRetry)
        case .redirect(_, _, let question): question.answer(.deliver)
        case .challenge(_, let question): question.answer(.deliver)
        case .newBody(let question): question.answer(.unavailable)
        case .response(_, let question): question.answer(.cancel)
        case .willCache(let question): question.answer(nil)
        }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) { handle(.completed(error), of: task) }
}

// On the reactor's thread: a second attempt of the hop, beside the first.
extension SessionTask {
    private func plan(_ hedging: RetryPolicy.Hedging) {
        guard driver.hedge == nil, !takesOverConnections, let shard = lifecycle.withLock({ $0.shard }) else { return }
        let now = shard.loop.now
        let hedge = Hedge(of: self, at: now)
        driver.hedge = hedge
        switch hedging {
        case .after(let delay): hedge.plan(after: delay, on: shard)
        case .percentile(let share, let least):
            guard let host = plannedHop.request.serverKey,
                let time = driver.machine.responseTimes.percentile(share, of: host, at: now)
            else { return }
            hedge.plan(after: max(time, least), on: shard)
        }
    }

    /// The first attempt has no answer in time. Returns the second; nil if there can be none.
    func second(beside hedge: Hedge) -> SessionTask? {
        guard driver.hedge === hedge, driver.machine.isAttempting, let shard = lifecycle.withLock({ $0.shard }),
            driver.machine.spendHedge(at: shard.loop.now)
        else { return nil }
        // The session does not list it.
        return SessionTask(
            request: plannedHop.request, delegate: hedge, defaults: TaskDefaults(forHedgeOf: defaults),
            at: TaskPlace(shard: shard), after: driver.machine.history.chain)
    }

    /// The second attempt begins.
    func begin(as hedge: Hedge, on shard: Shard<SessionTask>) {
        guard let first = hedge.task, driver.machine.start() else { return }
        lifecycle.withLock { $0.begin() }
        driver.hedge = hedge
        driver.measured = TaskMetrics(originalRequest, start: shard.loop.now)
        driver.deadlines = first.driver.deadlines
        begin(on: shard)
    }

    /// Of the second attempt: its hedge has ended.
    func leaveHedge() {
        driver.hedge = nil
        change(NoOpTaskDelegate.shared)
    }

    /// The hop has an answer, or no attempt that may bring one.
    private func endHedge(isAnswer: Bool = false) {
        guard let hedge = driver.hedge.take() else { return }
        if case .percentile? = driver.machine.hedging, let now = loop?.now, let host = plannedHop.request.serverKey {
            driver.machine.responseTimes.add(hedge.start.duration(to: now), of: host, at: now)
        }
        if let metrics = hedge.metrics(isAnswer: isAnswer) { driver.measured?.hedged(metrics) }
        hedge.end()
    }

    /// An attempt has no response, but another may have one. If there is none, its hedge has ended.
    private func isHeld(_ failure: AttemptFailure) -> Bool {
        guard let hedge = driver.hedge, !hedge.isSecond(self) else { return false }
        if driver.machine.isAttempting, driver.machine.isTemporary(.failed(failure.reason)), hedge.holds(failure) {
            return true
        }
        endHedge()
        return false
    }

    /// The second attempt has failed after the first.
    func hedgeFailed(_ failure: AttemptFailure) {
        endHedge()
        attemptFailed(failure)
    }

    /// The second attempt has a response: it is the answer to the hop.
    func take(from hedge: Hedge, _ head: ResponseHead) {
        let isTemporary = driver.machine.isTemporary(.answered(status: head.status, wait: nil))
        if hedge.isFirstOpen, isTemporary { return hedge.end() }
        guard let second = hedge.takeSecond() else { return }
        switch attempt.holding {
        case .exchange(let carrier): settle(carrier.leave())
        case .connectionRequest(let route):
            lifecycle.withLock { $0.shard }?.abandon(route, self)
            attempt.failed()
        case .place:
            endWaitForRate()
            endWait()
            attempt.failed()
        case .nothing: break
        }
        endHedge(isAnswer: true)
        swap(&attempt, &second.attempt)
        second.leaveHedge()
        second.driver.machine.complete()
        _ = second.lifecycle.withLock { $0.handOver() }
        contentCounts.sent.store(second.contentCounts.sent.load(ordering: .relaxed), ordering: .relaxed)
        guard let carrier = attempt.carrier else { return }
        carrier.carry(self, driver.deadlines)
        driver.measured?.begin(on: carrier, carrier.connectionMetrics, repeatCount: Int(attempt.repeatCount))
        received(head)
        updatePause()
    }
}

// On the reactor's thread: questions to the delegate, and its answers.
extension SessionTask: DelegateAsker {
    /// A new question to the delegate. No state of the task is half changed when it is asked.
    private func question<Answer>(
        on loop: ReactorLoop, _ form: @escaping @Sendable (Answer) -> DelegateResponse
    ) -> DelegateQuestion<Answer> {
        DelegateQuestion(of: self, driver.machine.ask(), on: loop, form)
    }

    /// Asks the delegate. Returns its answer, if that came within the call.
    private func ask(_ question: TaskEvent) -> DelegateResponse? {
        driver.delegate.handle(question, of: self)
        return driver.machine.asked()
    }

    /// An answer has arrived: the first one to the open question counts.
    func answered(_ number: UInt64, _ answer: DelegateResponse) {
        switch driver.machine.received(answer, to: number) {
        case .act: act(on: answer)
        case .kept, .ignored(finishes: false): break
        case .ignored(finishes: true): answer.source?.finish()
        }
    }

    private func act(on answer: DelegateResponse?) {
        // User objects are released last, when no state of the task is half changed.
        let previous = driver.machine.takePreviousRequests()
        defer { withExtendedLifetime(previous) {} }
        if answer != nil, driver.machine.isAsking { endWait() }
        switch answer {
        case nil: awaitEvent()
        case .redirect(.follow(let request)): move(driver.machine.answered(request))
        case .redirect(.deliver): follow(driver.machine.answered(nil))
        case .challenge(let answer): move(driver.machine.answered(answer))
        case .cancel: cancel()
        case .content(.content) where !driver.machine.isAsking: answer?.source?.finish()
        case .content(.content(let content)): move(driver.machine.answered(content: content))
        case .content(.unavailable): follow(driver.machine.answered(content: nil))
        case .retry(let answer): retry(answer)
        case .disposition(.allow): follow(driver.machine.allowed())
        case .disposition(.cancel): if let carrier = attempt.carrier { carrier.end(.cancelled) } else { cancel() }
        case .disposition(.becomeDownload):
            let successor = response.flatMap(download) ?? self
            successor.follow(successor.driver.machine.allowed())
        case .instead(let request): send(instead: request)
        }
    }

    /// The task continues with another request.
    func move(_ next: TaskMachine.Next) {
        if !driver.machine.isAsking {
            let request = driver.machine.hop.request
            lifecycle.withLock { $0.currentRequest = request }
        }
        follow(next)
    }

    func ask(about request: URLRequest, _ response: HTTPURLResponse) {
        guard let loop = attempt.carrier?.loop else { return }
        driver.machine.question?.response = response
        act(on: ask(.redirect(response, request, question(on: loop) { .redirect($0) })))
    }

    func askForCredentials(_ proposal: ChallengeProposal, _ response: HTTPURLResponse) {
        guard let loop = attempt.carrier?.loop, let origin = try? driver.machine.hop.request.destination.get().origin
        else { return }
        driver.machine.question?.response = response
        let challenge = AuthenticationChallenge(
            response: response, origin: origin, challenges: response.head.values(for: "WWW-Authenticate"),
            protectionSpace: proposal.space, proposedCredential: proposal.proposedCredential,
            previousFailureCount: proposal.previousFailureCount, hasLeftOrigin: !driver.machine.hop.mayCarryCredentials)
        act(on: ask(.challenge(challenge, question(on: loop) { .challenge($0) })))
    }

    /// The request is sent again, unless the delegate refuses.
    func ask(about retry: RetryMetrics) {
        guard let loop else { return }
        act(on: ask(.willRetry(retry, question(on: loop) { .retry($0) })))
    }

    private func retry(_ answer: RetryAnswer) {
        if answer != .doNotRetry, let question = driver.machine.question, case .retry(let retry) = question.proposal {
            if retry.needsUnusedConnection { attempt.needUnusedConnection() }
            if let response = question.response { driver.delegate.handle(.discarded(response), of: self) }
        }
        follow(driver.machine.answered(answer))
    }

    func askForContent() {
        guard let loop else { return }
        act(on: ask(.newBody(question(on: loop) { .content($0) })))
    }

    private func send(instead request: URLRequest) {
        driver.decoding = nil
        lifecycle.withLock { state in
            state.response = nil
            state.currentRequest = request
        }
        follow(driver.machine.answered(instead: request))
    }

    /// Delivers the content held while the delegate had not answered.
    func deliver(_ question: PendingQuestion, _ isComplete: Bool) {
        if let response = question.response {
            question.response = nil
            if let successor = deliver(response, on: loop) { return successor.deliver(question, isComplete) }
            // The delegate may have been asked about the content.
            if let next = driver.machine.question {
                next.trailers = question.trailers
                return
            }
        }
        if let (trailers, discarded) = question.trailers { tell(trailers, discarded) }
        if isComplete { end(nil) } else { updatePause() }
    }

    /// The response is the answer. Returns the task that continues with it, if that is another one.
    @discardableResult
    private func deliver(_ undecoded: consuming HTTPURLResponse, on loop: ReactorLoop?) -> SessionTask? {
        var response = undecoded
        if defaults.decodesContent(for: originalRequest) {
            driver.decoding = ContentDecoding.decoding(of: &response, limits: defaults.contentDecodingLimits)
            // What a provider gives is not coded, whatever its head says.
            if driver.decoding != nil, driver.machine.isProvided {
                (driver.decoding, response.isContentDecoded) = (nil, false)
            }
        }
        lifecycle.withLock { $0.response = response }
        guard let loop else { return nil }
        switch ask(.response(response, question(on: loop) { .disposition($0) })) {
        case .disposition(.allow): break
        case .disposition(.cancel): attempt.carrier?.end(.cancelled)
        case .disposition(.becomeDownload): return download(of: response)
        case .instead(let request):
            driver.machine.awaitDisposition()
            send(instead: request)
        default:
            guard driver.machine.isDelivering else { break }
            driver.machine.awaitDisposition()
            updatePause()
        }
        return nil
    }
}

// On the reactor's thread: the delegate is asked about the trust of servers.
extension SessionTask: TrustRespondent {
    var answersServerTrust: Bool { driver.delegate.answersServerTrustChallenges }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        driver.delegate.handle(.serverTrust(challenge, question), of: self)
    }
}

// On the reactor's thread: another task replaces this one.
extension SessionTask {
    /// Lets `successor`, which has not been started, continue the exchange: it is carried and listed from now on, its
    /// delegate is called, and it keeps the timeouts, suspensions and measurements. This task is over, and its delegate
    /// is not called again.
    func handOver(to successor: SessionTask) {
        var state: TaskLifecycle<Shard<SessionTask>>? = lifecycle.withLock { $0.handOver() }
        successor.lifecycle.withLock { $0 = state.take() ?? TaskLifecycle(shard: nil) }
        successor.takeOver(from: self)
        if successor.isListed { table?.add(successor) }
        table?.remove(self)
        change(NoOpTaskDelegate.shared)
    }

    private func takeOver(from task: SessionTask) {
        swap(&driver.machine, &task.driver.machine)
        task.driver.machine.complete()
        driver.machine.closeQuestion()
        driver.deadlines = task.driver.deadlines
        driver.measured = task.driver.measured.take()
        driver.decoding = task.driver.decoding.take()
        contentCounts.sent.store(task.contentCounts.sent.load(ordering: .relaxed), ordering: .relaxed)
        swap(&attempt, &task.attempt)
        attempt.carrier?.carry(self, driver.deadlines)
    }
}

// The end, and errors.
extension SessionTask {
    /// Ends the task: the first call counts. The kind of task prepares its end before `complete`.
    func end(_ error: SessionError?) {
        if driver.machine.finish() { finalize(error) } else { finalizeSooner(error) }
    }

    /// The task has ended: once.
    func complete(_ error: SessionError?) {
        let ended = lifecycle.withLock { state in
            let ended = state.complete(error)
            if let ended { finishMeasuring(ended.start, error) }
            return ended
        }
        guard let ended else { return }
        driver.machine.complete()
        table?.remove(self)
        originalRequest.onceSource?.discard()
        _ = attempt.wait.prepared.take()
        if attempt.isWaiting { attempt.failed() }
        _ = driver.decoding.take()
        endWait()
        if driver.hedge?.isSecond(self) == false { endHedge() }
        if driver.machine.tee != nil, let question = driver.machine.takeTee()?.ended(isComplete: error == nil) {
            driver.delegate.handle(.willCache(question), of: self)
        }
        driver.delegate.handle(.completed(error), of: self)
        change(NoOpTaskDelegate.shared)
        table?.ended()
        withExtendedLifetime(ended) {}
    }

    private func finishMeasuring(_ start: MonotonicInstant?, _ error: SessionError?) {
        let now = MonotonicInstant.now
        if driver.measured == nil { driver.measured = TaskMetrics(originalRequest, start: start ?? now) }
        if let status = driver.machine.cacheStatus { driver.measured?.handled(by: status) }
        let retries = driver.machine.history.retries
        if !retries.isEmpty { driver.measured?.retried(retries) }
        if let error {
            driver.measured?.failed(error.reason, at: now)
            driver.measured?.went(along: attempt.route)
        }
        driver.measured?.end(now)
    }

    /// Fails the task later: a caller that starts a task from the end of another must not grow the stack each time. If
    /// the loop has ended, the task ends on a queue.
    func endLater(_ reason: SessionError.Reason, phase: SessionError.Phase, on loop: ReactorLoop?) {
        Self.perform(on: loop) { self.end(self.error(reason, phase: phase)) }
    }

    /// Runs `work` on the task's loop in a later tick, and if the loop has ended on a queue.
    func performLater(_ work: @escaping @Sendable () -> Void) {
        Self.perform(on: lifecycle.withLock { $0.shard }?.loop, work)
    }

    private static func perform(on loop: ReactorLoop?, _ work: @escaping @Sendable () -> Void) {
        if loop?.execute(work) != true { endings.async(work) }
    }

    /// Fails a task that has no reactor to run on.
    func endWithoutLoop() { endLater(defaults.failure, phase: .request, on: nil) }

    private static let endings = SerialQueue()

    func error(
        _ reason: SessionError.Reason, phase: SessionError.Phase, remoteAddress: TransportAddress? = nil,
        isSafeToRepeat: Bool? = nil
    ) -> SessionError {
        let isSent = driver.measured?.wasSent ?? false
        let wasSent = isSent || driver.machine.history.wasSentBefore
        let error = SessionError(
            reason, phase: phase, origin: try? driver.machine.hop.request.destination.get().origin,
            remoteAddress: remoteAddress ?? driver.measured?.connection?.remoteAddress, wasSent: wasSent,
            isSafeToRepeat: isSafeToRepeat ?? driver.machine.isSafeToRepeat(wasSent: isSent),
            countOfBytesReceived: driver.measured?.countOfBytesReceived ?? 0, proxy: proxy(involvedIn: reason),
            retries: driver.machine.history.retries)
        return defaults.followsURLSession ? error.failing(at: driver.machine.hop.request.url) : error
    }

    /// That of the last attempt of the hop, for what has to do with a connection.
    private func proxy(involvedIn reason: SessionError.Reason) -> ProxyReference? {
        switch reason {
        case .connecting, .timedOut, .transfer, .system: break
        case .request, .download, .cancelled, .sessionInvalidated, .program: return nil
        }
        guard let route = attempt.route, let origin = try? driver.machine.hop.request.destination.get().origin,
            route.server == origin
        else { return nil }
        return route.proxyReference
    }
}
