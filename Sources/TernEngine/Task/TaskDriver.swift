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
    fileprivate var knownReceiver: (any ContentReceiver)?? {
        get { rare.parts?.knownReceiver }
        set { rare.set(newValue) { $0.knownReceiver = $1 } }
    }
    fileprivate var machine: TaskMachine
    fileprivate var deadlines: Deadlines
    /// For any thread once the task has completed: it does not change then.
    fileprivate var measured: TaskMetrics
    /// Whether the task has said that it has started.
    fileprivate var hasStarted = false
    /// What the timer is for, and since when.
    fileprivate var wait: (for: TaskWait, since: MonotonicInstant)?
    /// Whether the delegate has not answered a question.
    fileprivate var isQuestionOpen = false
    /// That of the request itself; nil without one.
    fileprivate var limiter: RateLimiter? {
        get { rare.parts?.limiter }
        set { rare.set(newValue) { $0.limiter = $1 } }
    }
    /// While the task waits for a lookup or a delay.
    fileprivate var timer: TaskTimer<AttemptDriver>? {
        get { rare.parts?.timer }
        set { rare.set(newValue) { $0.timer = $1 } }
    }
    /// Nil for none.
    fileprivate var hedge: Hedge? {
        get { rare.parts?.hedge }
        set { rare.set(newValue) { $0.hedge = $1 } }
    }
    private var rare = Rare<RareParts>()

    private struct RareParts: RareValue {
        var knownReceiver: (any ContentReceiver)??
        var limiter: RateLimiter?
        var timer: TaskTimer<AttemptDriver>?
        var hedge: Hedge?
    }

    /// The second attempt of the hop, beside the task's own.
    fileprivate enum Hedge {
        /// It begins when this fires.
        case planned(TaskTimer<AttemptDriver>)
        case begun(SecondAttempt)
    }

    fileprivate var second: SecondAttempt? { if case .begun(let second) = hedge { second } else { nil } }

    /// Whether the hop has, or is to have, a second attempt.
    fileprivate var isHedged: Bool { rare.parts?.hedge != nil }

    @inline(__always)
    init(
        _ request: URLRequest, _ delegate: any SessionTaskDelegate, _ defaults: TaskDefaults, after chain: RedirectChain
    ) {
        self.delegate = delegate
        measured = TaskMetrics(request)
        machine = TaskMachine(request, policies: defaults.policies, after: chain)
        deadlines = Deadlines(
            limits: defaults.timeouts(for: request), start: MonotonicInstant(nanoseconds: 0))
    }
}

// What the kinds of tasks, the pool and the delegates of the engine need
extension SessionTask {
    final var delegate: any SessionTaskDelegate { driver.delegate }

    /// For any thread once the task has completed: it does not change then.
    final var measured: TaskMetrics { driver.measured }

    final var taskDeadlines: Deadlines { driver.deadlines }

    /// The hop as it is planned: the request that is sent now, or was sent last.
    final var plannedHop: Hop { driver.machine.hop }

    /// Whether its request has a signer.
    final var isHopSigned: Bool { driver.machine.hop.request.isSigned }

    /// What authenticates the attempts of the hop; nil for what its request has itself.
    final var plannedLogin: PasswordLogin? { driver.machine.history.chain.login }

    /// Whether the hop is to be sent, and no response has come.
    final var isAttempting: Bool { driver.machine.isAttempting }

    /// Whether another server has chosen that of the hop, by a redirect.
    final var isHopChosenElsewhere: Bool {
        guard plannedHop.number > 0, let last = driver.machine.history.responses.last?.url else { return false }
        return plannedHop.request.host != HTTPOrigin(of: last)?.host
    }

    /// Whether the hop can be sent again once it was sent, and may be although a server has received it.
    final var isHopRepeatable: Bool { driver.machine.isHopRepeatable }

    /// Whether an exchange is in progress.
    final var isCarried: Bool { attempt.carrier != nil }

    /// Whether what comes is from the network, and not from what answers in its place.
    final var isAnsweredByNetwork: Bool { driver.machine.history.responseSource == .network }

    /// The time until the timeout of the whole task; nil without one.
    final var timeLeft: Duration? {
        if driver.machine.limitsEachAttempt { return nil }
        return driver.deadlines.total.map { max(.milliseconds(1), now.duration(to: $0.instant)) }
    }

    /// Ends the exchange, whose content is not stored. False if there is none.
    final func endExchange() -> Bool {
        guard let carrier = attempt.carrier else { return false }
        _ = driver.machine.endReception(isAnswer: false)
        carrier.end(.cancelled)
        return true
    }

    /// Whether the task waits for a lookup, a delay or the rate.
    final var isWaiting: Bool { driver.timer != nil || attempt.isWaiting }

    /// The task continues this response, from this offset: the program sees one response.
    final func keep(_ response: HTTPURLResponse, from offset: Int64) {
        lifecycle.withLock { $0.response = response }
        contentCounts.received.store(offset, ordering: .relaxed)
    }

    /// The request of the hop without what policies added.
    package final var hopRequest: URLRequest { driver.machine.history.request }

    final func beginHops() {
        follow(driver.machine.begin(since: driver.deadlines.start, until: driver.deadlines.total?.instant))
    }

    final func pauseExchange() {
        let isSuspended = isSuspended
        attempt.carrier?.isPaused = isSuspended || driver.machine.isAsking
        // Others do not wait for a reader that does not read.
        if isSuspended { driver.machine.paused() } else { limitDiscarding() }
    }

    /// Calls `delegate` from now on.
    final func change(_ delegate: any SessionTaskDelegate) {
        var other = delegate
        swap(&other, &driver.delegate)
        _ = driver.knownReceiver.take()
    }
}

// On the reactor's thread: what happens, said once.
extension SessionTask {
    /// Says what has happened: the one place. Observers are told, and then the delegate; metrics, which nobody sees before the
    /// end, are the fold of what it says. An event without a reader costs a comparison.
    ///
    /// - Parameter attempt: the one that it is about; nil for the task's own, or for none.
    @inline(__always)
    private func emit(_ event: TaskEvent, by attempt: Int32? = nil, at time: @autoclosure () -> MonotonicInstant) {
        tell(event, by: attempt, at: time())
        record(event, at: time())
    }

    @inline(__always)
    private func record(_ event: TaskEvent, at time: @autoclosure () -> MonotonicInstant) {
        driver.measured.fold(event, at: time())
    }

    @inline(__always)
    private func tell(_ event: TaskEvent, by attempt: Int32? = nil, at time: @autoclosure () -> MonotonicInstant) {
        if isObserved { observe(event, by: attempt ?? self.attempt.number, in: hopAttempts.hop, at: time()) }
        if event.isForDelegates { driver.delegate.handle(event, of: self) }
    }

    /// The first event of every task.
    func tellStart(_ start: MonotonicInstant) {
        driver.hasStarted = true
        emit(.started, at: start)
        // For the metrics it has begun with the task.
        if isObserved { emit(.hopBegan(originalRequest, redirectCount: 0), at: start) }
    }

    /// The task's own attempt is over, if there was one.
    @inline(__always)
    private func endAttempt(
        at now: @autoclosure () -> MonotonicInstant, before continuation: AttemptMetrics.Continuation? = nil
    ) {
        if attempt.record == nil { return }
        let now = now()
        if let record = attempt.takeRecord(at: now, before: continuation) { told(record, by: attempt.number, at: now) }
    }

    private func endAttempt(
        of second: SecondAttempt, at now: MonotonicInstant, before continuation: AttemptMetrics.Continuation? = nil
    ) {
        guard let record = second.attempt.takeRecord(at: now, before: continuation) else { return }
        told(record, by: second.attempt.number, at: now)
    }

    /// Another attempt follows later.
    private func tellAttempt(at now: MonotonicInstant) {
        let continuation = driver.machine.history.continuation
        guard let record = attempt.tellRecord(at: now, before: continuation) else { return }
        told(record, by: attempt.number, at: now)
    }

    @inline(__always)
    private func told(_ record: consuming AttemptMetrics, by number: Int32, at now: MonotonicInstant) {
        hopAttempts.note(record)
        emit(.attemptOver(record), by: number, at: now)
    }

    @inline(__always)
    private func answered(_ answer: @autoclosure () -> TaskAnswer) {
        driver.isQuestionOpen = false
        if isObserved { emit(.answered(answer()), at: now) }
    }
}

// On the reactor's thread: the task performs the actions of its machine, and reports events to it.
extension SessionTask {
    func start() {
        // A cancellation from another thread may have come before the start that it cancels.
        if isCancelled || !driver.machine.start() { return }
        let (shard, start, timelines) = lifecycle.withLock { ($0.isRunning ? $0.shard : nil, $0.start, $0.timelines) }
        guard let shard, let start else { return }
        let isWanted = !isListed || table?.add(self) ?? true
        watch(by: timelines)
        tellStart(start)
        driver.deadlines.start = start
        if isWanted { begin(on: shard) } else { abandon() }
    }

    /// Performs the machine's action.
    func follow(_ next: TaskMachine.Next) {
        switch next {
        case .wait: awaitEvent()
        case .send: withShard { send(on: $0) }
        case .refuse(let reason): failLater(AttemptFailure(reason: reason, phase: .request), on: loop)
        case .repeat:
            hopAttempts.noteRepeat()
            if let route = attempt.route { driver.machine.countRepeat(to: route.serverKey, at: now) }
            withShard { send(on: $0) }
        case .resolve(let isRouteNeeded): withShard { resolve(isRouteNeeded: isRouteNeeded, on: $0) }
        case .lookUp(let lookup, let number): withShard { look(up: lookup, number, on: $0) }
        case .awaitNetwork(let lookup, let number, let isFirst):
            if isFirst { emit(.waitingForConnectivity, at: now) }
            withShard { shard in
                tellAttempt(at: shard.loop.now)
                look(up: lookup, number, on: shard, for: .connectivity)
            }
        case .delay(let delay):
            withShard { shard in
                tellAttempt(at: shard.loop.now)
                wait(on: shard, for: .delay, delay)
            }
        case .answer(let source):
            withShard { source.start(self, on: $0.loop, driver.deadlines) }
        case .deliver(let question, let isComplete): deliver(question, isComplete)
        case .resume(let answer, let question): resume(question, answer)
        case .askContent: askForContent()
        case .askRetry(let retry): ask(about: retry)
        case .complete: end(nil)
        case .fail(let reason, let isSafeToRepeat):
            if let carrier = attempt.carrier { return carrier.end(reason) }
            end(
                error(
                    reason, phase: attempt.record?.responseStart == nil ? .head : .body, isSafeToRepeat: isSafeToRepeat
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

    /// The rest of a response that is not the answer is awaited for a moment: whatever its server does, the task goes on.
    private func limitDiscarding() {
        guard driver.machine.isDiscarding, let carrier = attempt.carrier else { return }
        let now = carrier.now
        let left = driver.deadlines.total.map { now.duration(to: $0.instant) } ?? TaskMachine.maximumDiscardTime
        let limits = Timeouts(idle: nil, total: min(left, TaskMachine.maximumDiscardTime))
        carrier.carry(self, Deadlines(limits: limits, start: now))
    }

    private var isOutOfTime: Bool { driver.deadlines.total.map { $0.instant <= now } ?? false }

    /// The task goes to the network: with an attempt of the hop.
    private func send(on shard: Shard<AttemptDriver>) {
        noteHop()
        if hopAttempts.isNew {
            // Retries, and repeats, are counted as such.
            defaults.policies.budget?.began(defaults.routes.serverKey(of: plannedHop.request))
            hopAttempts.begin()
        } else {
            endAttempt(at: shard.loop.now, before: driver.machine.history.continuation)
        }
        beginAttempt(of: self, on: shard)
    }

    private func withShard(_ body: (Shard<AttemptDriver>) -> Void) {
        guard let shard else { return }
        if shard.isClosed { return endLater(.sessionInvalidated, phase: .request, on: shard.loop) }
        body(shard)
    }

    /// Resolves the route of the hop, for a response source. May call code of the user: a closure that chooses proxies, and
    /// policies of trust.
    private func resolve(isRouteNeeded: Bool, on shard: Shard<AttemptDriver>) {
        noteHop()
        guard isRouteNeeded else { return follow(driver.machine.resolved(nil, of: self)) }
        let key: [[UInt8]]
        do throws(RouteRule.Refusal) {
            key = try defaults.routes.cacheKey(of: defaults.routes.route(for: plannedHop.request))
        } catch {
            // A refusal counts for stored responses, too.
            return failLater(AttemptFailure(reason: error.reason, phase: .request), on: shard.loop)
        }
        follow(driver.machine.resolved(key, of: self))
    }

    /// The hop is about to be answered: it has what policies added, which the program sees before it is sent.
    func noteHop() {
        let number = driver.machine.history.hop.number
        guard number > 0 || driver.machine.history.isPrepared else { return }
        if hopAttempts.hop != number {
            let now = self.now
            let next = hopAttempts.next(hop: number, keeping: attempt.record)
            endAttempt(at: now, before: driver.machine.history.continuation)
            // That of the hop before.
            emit(.hopOver(driver.machine.cacheStatus), at: now)
            hopAttempts = next
            emit(.hopBegan(plannedHop.request, redirectCount: driver.machine.history.chain.count), at: now)
        }
        if driver.machine.history.isPrepared { tellPrepared(plannedHop.request) }
    }

    /// The program sees the request in the form in which it is sent.
    func tellPrepared(_ request: URLRequest) {
        let previous = lifecycle.withLock { state in
            defer { state.currentRequest = request }
            return state.currentRequest
        }
        emit(.prepared(request), at: now)
        withExtendedLifetime(previous) {}
    }

    /// What the task waits for has come, or is not waited for any more.
    func endWait() {
        driver.timer.take()?.cancel()
        if let wait = driver.wait.take() { emit(.waited(for: wait.for, since: wait.since), at: now) }
    }

    /// The attempt of the task has no response; another one may have one.
    func failed(_ failure: AttemptFailure) {
        if holds(failure) { return }
        let next = driver.machine.failed(failure, wasRepeated: hopAttempts.repeatCount > 0)
        noteRefusal()
        guard case .fail(let reason, let isSafeToRepeat) = next else { return move(next) }
        end(
            AttemptFailure(reason: reason, phase: failure.phase, remoteAddress: failure.remoteAddress), isSafeToRepeat)
    }

    /// Why no retry follows what the attempt has come to.
    private func noteRefusal() {
        if let refusal = driver.machine.history.retryRefusal { attempt.isNotRetried(refusal) }
    }

    private func end(_ failure: AttemptFailure, _ isSafeToRepeat: Bool) {
        end(
            error(
                failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress,
                isSafeToRepeat: isSafeToRepeat))
    }

    /// The same, in a later tick.
    func failLater(_ failure: AttemptFailure, on loop: ReactorLoop?) {
        Self.perform(on: loop) { self.failed(failure) }
    }

    /// Waits without a connection: for a delay, or for a lookup.
    ///
    /// - Parameter reason: nil for the answer of the delegate.
    private func wait(on shard: Shard<AttemptDriver>, for reason: TaskWait? = nil, _ delay: Duration? = nil) {
        driver.timer = TaskTimer(on: shard, delay: delay, total: driver.deadlines.total) { [weak self] outcome in
            guard let self else { return }
            endWait()
            switch outcome {
            case .over: follow(driver.machine.delayEnded())
            case .failed(let reason): end(error(reason, phase: .request))
            }
        }
        guard let reason else { return }
        driver.wait = (reason, shard.loop.now)
        emit(.waiting(for: reason), at: shard.loop.now)
    }

    private func look(
        up lookup: HopLookup, _ number: UInt64, on shard: Shard<AttemptDriver>, for reason: TaskWait = .lookUp
    ) {
        let cancellation = lookup { preparation in
            shard.perform { _ in
                // The task may have ended.
                guard self.driver.machine.awaits(lookup: number) else { return }
                self.endWait()
                self.follow(self.driver.machine.lookedUp(number, preparation))
            }
        }
        // A result that was at hand has come within the call.
        guard driver.machine.awaits(lookup: number) else { return cancellation() }
        wait(on: shard, for: reason)
        driver.timer?.whenOver(cancellation)
    }

    func cancelExchange() {
        if let carrier = attempt.carrier { return carrier.end(.cancelled) }
        let isQueued = if case .connectionRequest = attempt.holding { true } else { false }
        abandonAttempt()
        end(error(.cancelled, phase: isQueued ? .pool : .request))
    }

    /// Ends, and leaves the rest of the response to the connection.
    func abandonBodyNow() {
        guard driver.machine.isDelivering, let carrier = attempt.carrier else { return cancelNow() }
        attempt.ended(nil, carrier.leaveRest())
        end(error(.cancelled, phase: .body))
    }

    /// Also if the connection is gone.
    var loop: ReactorLoop? { attempt.carrier?.loop ?? shard?.loop }

    var shard: Shard<AttemptDriver>? { lifecycle.withLock { $0.shard } }

    /// The time now, by the clock of the session.
    @inline(__always)
    final var exactNow: MonotonicInstant { defaults.clock == nil ? .now : .now(by: defaults.clock) }
}

extension SessionTask: TableMember {}

extension SessionTask: ExchangeDelegate {
    func exchangeBegan(on carrier: any Carrier) {
        contentCounts.sent.store(0, ordering: .relaxed)
        let connection = carrier.connectionMetrics
        attempt.began(on: carrier, connection)
        if isSuspended { carrier.isPaused = true }
        if let connection { emit(.willSend(on: connection), at: carrier.now) }
        if let hedging = driver.machine.hedging { plan(hedging) }
    }

    var pace: Pace? {
        defaults.pace(
            for: originalRequest, to: try? plannedHop.request.destination.get().origin, &driver.limiter)
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        guard driver.machine.isDelivering, driver.machine.reception?.decodes != true else { return nil }
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
        case .body(let range): return content(bytes.extracting(range), &allowance)
        case .head(let head): received(head)
        case .informational(let head):
            emit(.informational(driver.machine.response(head)), at: now)
        case .end(let trailers, let discarded):
            if driver.machine.ended(trailers, discarded) { responseEnded(trailers, discarded) }
        case .needMoreBytes, .handedOver: break
        }
        return .all
    }

    private func content(_ bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        switch driver.machine.content(bytes.count) {
        case .deliver:
            if let reception = driver.machine.reception, reception.decodes {
                let taken = decode(bytes, by: reception, &allowance)
                copy(bytes.extracting(first: taken.count(of: bytes.count)))
                return count(taken, of: bytes)
            }
            copy(bytes)
            if !bytes.isEmpty { driver.delegate.task(self, didReceive: bytes) }
            return count(.all, of: bytes)
        case .drop: copy(bytes)
        case .pause: return .some(0)
        case .leave:
            if let carrier = attempt.carrier { attempt.ended(nil, carrier.leave()) }
            follow(driver.machine.leftBehind())
        }
        return .all
    }

    /// Bytes of the answer have been delivered.
    private func count(_ taken: ContentTaken, of bytes: Span<UInt8>) -> ContentTaken {
        contentCounts.received.add(Int64(taken.count(of: bytes.count)), ordering: .relaxed)
        return taken
    }

    private func copy(_ bytes: Span<UInt8>) { driver.machine.reception?.tee?.received(bytes) }

    /// Decodes and delivers until the tick is over, the task is paused, or all bytes are consumed.
    private func decode(
        _ bytes: Span<UInt8>, by reception: Reception, _ allowance: inout TickAllowance
    ) -> ContentTaken {
        do throws(ContentDecodingError) {
            return try reception.decode(bytes) { piece, price in
                allowance.spend(max(TickAllowance.event, price))
                if !piece.isEmpty { driver.delegate.task(self, didReceive: piece) }
                return !allowance.isSpent && attempt.carrier?.isPaused == false
            }
        } catch {
            attempt.carrier?.end(.transfer(.undecodable(error)))
            return .all
        }
    }

    private func received(_ head: ResponseHead) {
        guard let carrier = attempt.carrier else { return }
        let now = carrier.now
        // Before the machine, which may move to the next hop.
        let response = driver.machine.response(head)
        emit(.head(response), at: now)
        let isForProxy =
            attempt.hasForm && hopAttempts.answersProxy(head, to: attempt.form, defaults.proxies)
        if attempt.isOnConnection {
            attempt.answered(head, at: now)
            if let circuits = defaults.policies.circuits { attempt.came(to: head, circuits) }
            if !isForProxy, driver.machine.mayHedge {
                if driver.second != nil, driver.machine.isTemporary(RetryRule.Outcome(of: head)) {
                    driver.machine.hold(head)
                    driver.machine.question?.response = response
                    return updatePause()
                }
                learn(attempt)
                endHedge()
            }
        }
        act(on: driver.machine.head(head, isForProxy: isForProxy, from: carrier.connectionMetrics), response, carrier)
    }

    private func act(
        on answer: TaskMachine.HeadAnswer, _ response: consuming HTTPURLResponse, _ carrier: (any Carrier)?
    ) {
        switch answer {
        case .deliver:
            noteRefusal()
            deliver(response, on: carrier?.loop ?? loop)
        case .discard:
            emit(.discarded(response), at: now)
            updatePause()
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
            emit(.discarded(response), at: now)
            if let carrier = attempt.carrier { carrier.end(reason) } else { end(error(reason, phase: .head)) }
        }
    }

    /// Acts on a head that was held, and then on what has come of its response meanwhile.
    private func resume(_ question: PendingQuestion, _ answer: TaskMachine.HeadAnswer) {
        guard let response = question.response else { return }
        act(on: answer, response, attempt.carrier)
        switch question.ending {
        case .pending: awaitEvent()
        case .complete:
            if driver.machine.isDelivering, !heldResponseEnded() { return }
            follow(driver.machine.ended())
        case .broken(let reason, _):
            let evidence = Evidence(isAnswered: true, isSent: true)
            follow(driver.machine.failed(AttemptFailure(reason: reason, phase: .body, evidence: evidence)))
        }
    }

    /// The response is complete, with these trailers: the one end of every response, whether its content was delivered as it
    /// came, or held. False if it is none: the coding of its content is incomplete.
    @discardableResult
    private func responseEnded(_ trailers: HeaderFields, _ discarded: HeaderFields) -> Bool {
        do throws(ContentDecodingError) {
            try driver.machine.reception?.finish()
        } catch {
            let reason = SessionError.Reason.transfer(.undecodable(error))
            if let carrier = attempt.carrier { carrier.end(reason) } else { end(self.error(reason, phase: .body)) }
            return false
        }
        emit(.responseOver(trailers: trailers, discarded: discarded), at: now)
        return true
    }

    /// The same for a response that was held, and has ended meanwhile.
    private func heldResponseEnded() -> Bool {
        guard let (trailers, discarded) = driver.machine.reception.takeTrailers() else { return true }
        return responseEnded(trailers, discarded)
    }

    var takesOver: Bool { driver.machine.isDelivering && takesOverConnections }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {
        attempt.ended(nil, evidence)
        takeOver(handover)
    }

    func sent(_ count: Int64, of length: Int64?) {
        let before = contentCounts.sent.exchange(count, ordering: .relaxed)
        emit(.sentBodyData(count &- before, total: count, expected: length ?? -1), at: now)
    }

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {
        attempt.ended(reason, evidence)
        switch reason {
        case nil: follow(driver.machine.ended())
        // The moment for the rest of the response is over, and not the task's time.
        case .timedOut(.total) where driver.machine.isDiscarding && !isOutOfTime: follow(driver.machine.leftBehind())
        case .request(.invalid(let error)):
            connectionFailed(DialFailure(reason: .request(.invalid(error)), phase: .request))
        case let reason?:
            let failure = AttemptFailure(reason: reason, phase: .head, evidence: evidence)
            if !evidence.isStored, let circuits = defaults.policies.circuits { attempt.came(to: failure, circuits) }
            if holds(failure) { return }
            let rest = driver.machine.isDelivering && !evidence.isStored ? requestOfRest(after: reason) : nil
            let next = driver.machine.failed(failure, wasRepeated: hopAttempts.repeatCount > 0, rest: rest)
            noteRefusal()
            follow(next)
        }
    }
}

// On the reactor's thread: what the attempts ask, and tell.
extension SessionTask: AttemptOwner {
    @inline(__always)
    final func tell(_ event: TaskEvent, by attempt: Int32, at time: MonotonicInstant) {
        emit(event, by: attempt, at: time)
    }

    final func tellInformational(_ head: ResponseHead, by attempt: Int32, at time: MonotonicInstant) {
        emit(.informational(driver.machine.response(head)), by: attempt, at: time)
    }

    final var answersServerTrustChallenges: Bool { driver.delegate.answersServerTrustChallenges }

    final func ask(about challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        emit(.serverTrust(challenge, question), at: now)
    }
}

// On the reactor's thread: a second attempt of the hop, beside the first.
extension SessionTask: HedgedTask {
    /// The first attempt is sent, and may have a second one beside it.
    private func plan(_ hedging: RetryPolicy.Hedging) {
        guard !driver.isHedged, !takesOverConnections, let shard,
            let server = attempt.route?.serverKey
        else { return }
        let delay: Duration
        switch hedging {
        case .after(let time): delay = time
        case .percentile(let share, let least):
            guard let time = defaults.policies.responseTimes.percentile(share, of: server, at: shard.loop.now) else {
                return
            }
            delay = max(time, least)
        }
        let timer = TaskTimer(on: shard, delay: delay, total: nil) { [weak self] outcome in
            guard let self, case .over = outcome else { return }
            driver.hedge = nil
            beginSecond(on: shard)
        }
        driver.hedge = .planned(timer)
    }

    /// The first attempt has no answer in time. A suspended task has no second one.
    private func beginSecond(on shard: Shard<AttemptDriver>) {
        guard driver.machine.hedging != nil, !isSuspended, let server = attempt.route?.serverKey,
            driver.machine.allowsHedge(to: server, isSent: false, at: shard.loop.now)
        else { return }
        let second = SecondAttempt(beside: self)
        driver.hedge = .begun(second)
        second.beginAttempt(of: self, on: shard)
    }

    /// Whether `second` is sent now: it is counted.
    func mayBeSent(_ second: SecondAttempt, at now: MonotonicInstant) -> Bool {
        guard driver.second === second, driver.machine.isAttempting || driver.machine.isAsking,
            let server = second.attempt.route?.serverKey
        else { return false }
        return driver.machine.allowsHedge(to: server, isSent: true, at: now)
    }

    func isWanted(_ second: SecondAttempt) -> Bool { driver.second === second }

    /// A proxy has requested a credential of the second attempt, and gets it with another one.
    func beginAnother(_ second: SecondAttempt, on shard: Shard<AttemptDriver>) {
        endAttempt(of: second, at: shard.loop.now, before: .challenge)
        second.beginAttempt(of: self, on: shard)
    }

    /// The times of a server's answers are known from the attempts that have one.
    private func learn(_ attempt: borrowing Attempt) {
        guard driver.machine.hedgesByPercentile, let time = attempt.record?.answerTime,
            let server = attempt.route?.serverKey, let now = attempt.record?.responseStart
        else { return }
        defaults.policies.responseTimes.add(time, of: server, at: now)
    }

    /// Whether the failure of the task's own attempt waits for the second one, which may have an answer.
    private func holds(_ failure: AttemptFailure) -> Bool {
        if !driver.isHedged || driver.machine.isHolding { return false }
        if let second = driver.second, driver.machine.isAttempting,
            driver.machine.isTemporary(RetryRule.Outcome(of: failure))
        {
            second.heldFailure = failure
            return true
        }
        endHedge()
        return false
    }

    /// The hop has an answer, or an end: it has no other attempt any more.
    private func endHedge() {
        switch driver.hedge.take() {
        case nil: break
        case .planned(let timer): timer.cancel()
        case .begun(let second):
            second.abandonAttempt()
            addRecord(of: second)
        }
    }

    private func addRecord(of second: SecondAttempt) {
        endAttempt(of: second, at: now)
        second.end()
    }

    /// The second attempt has no answer: what the first has come to is the hop's.
    func lost(_ second: SecondAttempt) {
        guard driver.second === second else { return }
        driver.hedge = nil
        addRecord(of: second)
        if let failure = second.heldFailure.take() {
            guard isOutOfTime, let total = driver.deadlines.total else { return failed(failure) }
            return failed(
                AttemptFailure(reason: .timedOut(total.limit), phase: .head, evidence: failure.evidence))
        }
        if driver.machine.isHolding {
            follow(driver.machine.proceed(from: attempt.carrier?.connectionMetrics))
        }
    }

    /// The second attempt has a response: if it is the answer to the hop, it becomes the task's attempt.
    func received(_ head: ResponseHead, by second: SecondAttempt) {
        guard driver.second === second else { return }
        let isTemporary = driver.machine.isTemporary(RetryRule.Outcome(of: head))
        // The first one goes on, or has come to the same.
        if isTemporary, second.heldFailure == nil {
            second.abandonAttempt()
            return lost(second)
        }
        driver.hedge = nil
        abandonAttempt()
        endAttempt(at: now)
        learn(second.attempt)
        swap(&attempt, &second.attempt)
        if let circuits = defaults.policies.circuits { attempt.came(to: head, circuits) }
        contentCounts.sent.store(second.countOfBytesSent, ordering: .relaxed)
        second.end()
        driver.machine.forgetHeld()
        guard let carrier = attempt.carrier else { return }
        carrier.carry(self, driver.deadlines)
        if let form = attempt.form { tellPrepared(form.hop.request) }
        let response = driver.machine.response(head)
        emit(.head(response), at: carrier.now)
        act(on: driver.machine.head(head, from: carrier.connectionMetrics), response, carrier)
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
    @inline(__always)
    private func ask(_ question: TaskEvent) -> DelegateResponse? {
        driver.isQuestionOpen = true
        emit(question, at: now)
        guard let answer = driver.machine.asked() else { return nil }
        answered(answer.summary)
        return answer
    }

    /// An answer has arrived: the first one to the open question counts.
    func answered(_ number: UInt64, _ answer: DelegateResponse) {
        switch driver.machine.received(answer, to: number) {
        case .act:
            answered(answer.summary)
            act(on: answer)
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
        guard let loop else { return }
        driver.machine.question?.response = response
        act(on: ask(.redirect(response, request, question(on: loop) { .redirect($0) })))
    }

    func askForCredentials(_ proposal: ChallengeProposal, _ response: HTTPURLResponse) {
        guard let loop, let origin = try? driver.machine.hop.request.destination.get().origin
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
        renewTime(for: retry)
        act(on: ask(.willRetry(retry, question(on: loop) { .retry($0) })))
    }

    private func retry(_ answer: RetryAnswer) {
        if answer != .doNotRetry, let question = driver.machine.question, case .retry(let retry) = question.proposal {
            if retry.needsUnusedConnection { hopAttempts.needUnusedConnection() }
            let count = driver.machine.history.retryCount.retries
            let next = driver.machine.answered(answer)
            if driver.machine.history.retryCount.retries > count {
                hopAttempts.beginRetry()
                renewTime(for: driver.machine.history.retries.last ?? retry)
                attempt.isFollowed(by: .retry(driver.machine.history.retries.last ?? retry))
                emit(.retrying(driver.machine.history.retries.last ?? retry), at: now)
                if let response = question.response { emit(.discarded(response), at: now) }
            }
            return move(next)
        }
        follow(driver.machine.answered(answer))
    }

    /// The attempt that follows has its own time, if the policy says so: the question about it, and its wait, have it, too.
    private func renewTime(for retry: RetryMetrics) {
        guard driver.machine.limitsEachAttempt else { return }
        driver.deadlines.start = retry.time.advanced(by: retry.delay)
        driver.machine.renew(until: driver.deadlines.total?.instant)
    }

    /// The response broke off while it was delivered. Returns the request that continues it, or repeats it, if the
    /// policy of retries has that sent; nil if the task fails.
    private func requestOfRest(after reason: SessionError.Reason) -> URLRequest? {
        (driver.delegate as? any ContinuedReceiver)?.requestOfRest(after: reason, of: self)
    }

    func askForContent() {
        guard let loop else { return }
        act(on: ask(.newBody(question(on: loop) { .content($0) })))
    }

    private func send(instead request: URLRequest) {
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
            if driver.machine.question != nil { return }
        }
        guard heldResponseEnded() else { return }
        if isComplete { end(nil) } else { updatePause() }
    }

    /// The response is the answer. Returns the task that continues with it, if that is another one.
    @discardableResult
    private func deliver(_ undecoded: consuming HTTPURLResponse, on loop: ReactorLoop?) -> SessionTask? {
        var response = undecoded
        // What a protocol class gives is not coded, whatever its head says.
        if driver.machine.history.responseSource != .protocolClass, defaults.decodesContent(for: originalRequest),
            let decoding = ContentDecoding.decoding(of: &response, limits: defaults.contentDecodingLimits)
        {
            driver.machine.decode(by: decoding)
        }
        contentCounts.received.store(0, ordering: .relaxed)
        lifecycle.withLock { $0.response = response }
        guard let loop else { return nil }
        switch ask(.response(response, question(on: loop) { .disposition($0) })) {
        case .disposition(.allow): break
        case .disposition(.cancel): attempt.carrier?.end(.cancelled)
        case .disposition(.becomeDownload): return self.response.flatMap(download)
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

// On the reactor's thread: another task replaces this one.
extension SessionTask {
    /// Lets `successor`, which has not been started, continue the exchange: it is carried and listed from now on, its
    /// delegate is called, and it keeps the timeouts, suspensions and measurements. This task is over, and its delegate
    /// is not called again.
    func handOver(to successor: SessionTask) {
        var state: TaskLifecycle<Shard<AttemptDriver>>? = lifecycle.withLock { $0.handOver() }
        successor.lifecycle.withLock { $0 = state.take() ?? TaskLifecycle(shard: nil) }
        successor.takeOver(from: self)
        if successor.isListed { _ = table?.add(successor) }
        table?.remove(self)
        change(NoOpTaskDelegate.shared)
    }

    private func takeOver(from task: SessionTask) {
        swap(&driver.machine, &task.driver.machine)
        task.driver.machine.complete()
        driver.machine.closeQuestion()
        driver.deadlines = task.driver.deadlines
        swap(&driver.measured, &task.driver.measured)
        (driver.hasStarted, driver.isQuestionOpen) = (true, task.driver.isQuestionOpen)
        contentCounts.sent.store(task.contentCounts.sent.load(ordering: .relaxed), ordering: .relaxed)
        swap(&attempt, &task.attempt)
        swap(&hopAttempts, &task.hopAttempts)
        task.handOverWatchers(to: self)
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
        guard driver.machine.isFinishing else { return }
        // The breaker has a lock of its own, which it takes when a pass is given back.
        attempt.givePassBack()
        if attempt.isWaiting { abandonAttempt() }
        endWait()
        endHedge()
        let now = exactNow
        endScopes(at: now)
        record(.completed(error), at: now)
        let ended = lifecycle.withLock { $0.complete(error) }
        driver.machine.complete()
        table?.remove(self)
        originalRequest.onceSource?.discard()
        _ = attempt.wait.prepared.take()
        if driver.machine.reception != nil, let question = driver.machine.endReception(isAnswer: error == nil) {
            emit(.willCache(question), at: now)
        }
        tell(.completed(error), at: now)
        change(NoOpTaskDelegate.shared)
        table?.ended()
        withExtendedLifetime(ended) {}
    }

    /// What has begun ends with the task, the last first.
    private func endScopes(at now: MonotonicInstant) {
        if !driver.hasStarted {
            let (start, timelines) = lifecycle.withLock { ($0.start, $0.timelines) }
            watch(by: timelines)
            tellStart(start ?? now)
        }
        if driver.isQuestionOpen { answered(.none) }
        endAttempt(at: now)
        emit(.hopOver(driver.machine.cacheStatus), at: now)
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

    /// Fails a task that has no reactor to run on.
    func endWithoutLoop() { endLater(defaults.failure, phase: .request, on: nil) }

    package func error(
        _ reason: SessionError.Reason, phase: SessionError.Phase, remoteAddress: TransportAddress? = nil,
        isSafeToRepeat: Bool? = nil
    ) -> SessionError {
        let isSent = attempt.record?.wasSent ?? false || hopAttempts.wasSent
        let wasSent = isSent || driver.machine.history.wasSentBefore
        let error = SessionError(
            reason, phase: phase, origin: try? driver.machine.hop.request.destination.get().origin,
            remoteAddress: remoteAddress ?? attempt.record?.connection?.remoteAddress, wasSent: wasSent,
            isSafeToRepeat: isSafeToRepeat ?? driver.machine.isSafeToRepeat(wasSent: isSent),
            countOfBytesReceived: attempt.record?.countOfBytesReceived ?? 0, proxy: proxy(involvedIn: reason),
            retries: driver.machine.history.retries, retryRefusal: driver.machine.history.retryRefusal)
        return defaults.followsURLSession ? error.failing(at: driver.machine.hop.request.url) : error
    }

    /// That of the last attempt of the hop, for what has to do with a connection.
    private func proxy(involvedIn reason: SessionError.Reason) -> ProxyReference? {
        switch reason {
        case .connecting, .timedOut, .transfer, .system: break
        case .request, .download, .response, .cancelled, .sessionInvalidated, .program: return nil
        }
        guard let route = attempt.route, let origin = try? driver.machine.hop.request.destination.get().origin,
            route.server == origin
        else { return nil }
        return route.proxyReference
    }
}
