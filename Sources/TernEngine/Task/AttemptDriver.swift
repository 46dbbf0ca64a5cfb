// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernLock

/// Makes attempts of a hop, one at a time: the one door through which a hop reaches the network, and every way out of it. A
/// task makes its own, and may have one made beside it. A driver performs what its attempt decides.
///
/// It has no public members, and belongs to its reactor's thread, hence `@unchecked Sendable`.
open class AttemptDriver: @unchecked Sendable {
    /// What is tried at present.
    @safe @exclusivity(unchecked) final var attempt = Attempt()
    /// While the attempt waits for the rate.
    private var rateTimer: TaskTimer<AttemptDriver>?
    final var queueIndex: Int32 = -1

    init() {}

    // Overridden by both kinds.

    /// The task whose hop is tried; nil when the attempts are over.
    var task: (any AttemptOwner)? { nil }

    /// Whether it was cancelled, even if the reactor has not processed that yet.
    var isCancelled: Bool { true }

    /// Whether a connection that was used before will not do.
    var isRepeating: Bool { false }

    /// Whether the hop is to be sent, and no response has come.
    var isWanted: Bool { false }

    /// Finds a connection along the route of the attempt.
    func connect(on shard: Shard<AttemptDriver>) { attempt.pool(of: shard)?.start(self) }

    /// Sends the hop on this connection. False if it does not take the connection.
    func start(on connection: Connection, _ prepared: PreparedExchange?) -> Bool { false }

    /// The attempt has ended, and has no response.
    func attemptFailed(_ failure: AttemptFailure) {}

    /// The loop has received the command.
    func perform(_ command: TaskCommand) {}

    /// The loop has ended, so the command cannot be performed on it.
    func returned(_ command: TaskCommand) {}
}

/// The task whose hop is tried, as its attempts see it.
protocol AttemptOwner: AnyObject, Sendable {
    /// The hop as it is planned.
    var plannedHop: Hop { get }
    /// What authenticates the attempts of the hop; nil for what its request has itself.
    var plannedLogin: PasswordLogin? { get }
    var defaults: TaskDefaults { get }
    /// What the attempts of the hop have in common.
    var hopAttempts: HopAttempts { get set }
    /// Whether another server has chosen that of the hop, by a redirect.
    var isHopChosenElsewhere: Bool { get }
    /// Whether the hop can be sent again once it was sent, and may be although a server has received it.
    var isHopRepeatable: Bool { get }
    var taskDeadlines: Deadlines { get }
    var isCancelled: Bool { get }
    var shard: Shard<AttemptDriver>? { get }
    /// Also if the connection is gone.
    var loop: ReactorLoop? { get }
    var pace: Pace? { get }
    /// The time now, by the clock of the session.
    var exactNow: MonotonicInstant { get }
    var answersServerTrustChallenges: Bool { get }

    /// The program sees the request in the form in which the task's own attempt sends it.
    func tellPrepared(_ request: URLRequest)
    /// Something has happened to the attempt of this number.
    func tell(_ event: TaskEvent, by attempt: Int32, at time: MonotonicInstant)
    func tellInformational(_ head: ResponseHead, by attempt: Int32, at time: MonotonicInstant)
    /// Lets observers add fields to the request of the attempt of this number, which has begun, and then the request's own
    /// signer; nil if none does.
    func signer(of attempt: Int32, isHedge: Bool) -> (any RequestSigner)?
    func ask(about challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
}

extension AttemptOwner {
    /// By the clock of the reactor, as long as there is one.
    var now: MonotonicInstant { loop?.now ?? exactNow }
}

extension AttemptDriver {
    /// Runs `work` on this loop in a later tick, and if it has ended on a queue.
    static func perform(on loop: ReactorLoop?, _ work: @escaping @Sendable () -> Void) {
        if loop?.execute(work) != true { endings.async(work) }
    }

    private static let endings = SerialQueue()

    /// Makes an attempt of the hop of `task`: resolves its route, asks the circuit breaker, waits for the rate, and finds a
    /// connection.
    final func beginAttempt(of task: some AttemptOwner, on shard: Shard<AttemptDriver>) {
        let defaults = task.defaults
        do throws(RouteRule.Refusal) {
            // May call a closure of the user that chooses proxies.
            var route = try defaults.routes.route(for: task.plannedHop.request)
            // It may have ended the task.
            guard isWanted else { return }
            if task.plannedHop.number > 0 { route = route.keeping(task.hopAttempts.keptAddresses) }
            let pass: CircuitPass?
            switch defaults.policies.circuits?.admit(to: route, isChosenElsewhere: task.isHopChosenElsewhere) {
            case nil: pass = nil
            case .pass(let admitted): pass = admitted
            case .refuse(let reason): return failLater(AttemptFailure(reason: reason, phase: .request))
            }
            let (number, isHedge) = (task.hopAttempts.next(), task !== self)
            task.tell(.attemptBegan(isHedge: isHedge), by: number, at: shard.loop.now)
            let form = defaults.form(
                of: task.plannedHop, signedBy: task.plannedLogin, task.signer(of: number, isHedge: isHedge),
                along: route, isFirst: task.hopAttempts.isUnanswered)
            attempt.begin(
                number, of: task.plannedHop, along: route, as: form, pass, isHedge: isHedge, at: shard.loop.now)
        } catch {
            return failLater(AttemptFailure(reason: error.reason, phase: .request))
        }
        if attempt.hasForm, let form = attempt.form {
            if let failure = form.failure {
                return failLater(AttemptFailure(reason: .request(.unauthenticated(failure)), phase: .request))
            }
            if task === self { task.tellPrepared(form.hop.request) }
        }
        if defaults.rates == nil { findConnection(on: shard) } else { awaitRate(of: task, on: shard) }
    }

    /// Waits until the rates of the session permit another request.
    private func awaitRate(of task: some AttemptOwner, on shard: Shard<AttemptDriver>) {
        guard let rates = task.defaults.rates?.requests, let origin = attempt.route?.server else {
            return findConnection(on: shard)
        }
        let number = attempt.number
        let entry = rates.enter(origin, at: shard.loop.now) { [loop = shard.loop] in
            loop.execute { self.rateAllows(number) }
        }
        switch entry {
        case .go(let reservation):
            attempt.reserved(reservation)
            findConnection(on: shard)
        case .wait(let reservation):
            attempt.reserved(reservation)
            waitForRate(on: shard)
        }
    }

    /// Has the attempt wait for the rate, for as long as the task has time and its session exists.
    private func waitForRate(on shard: Shard<AttemptDriver>) {
        attempt.wait.since = shard.loop.now
        task?.tell(.waiting(for: .rate), by: attempt.number, at: shard.loop.now)
        rateTimer = TaskTimer(on: shard, delay: nil, total: deadlines.total) { [weak self] outcome in
            guard let self, case .failed(let reason) = outcome else { return }
            fail(AttemptFailure(reason: reason, phase: .request))
        }
    }

    /// The one way out of the wait for the rate.
    private func endWaitForRate() {
        rateTimer.take()?.cancel()
        guard attempt.isWaiting, let since = attempt.wait.since.take() else { return }
        task?.tell(.waited(for: .rate, since: since), by: attempt.number, at: task?.now ?? .now)
    }

    /// A wait for the rate is over.
    private func rateAllows(_ number: Int32) {
        guard attempt.number == number, attempt.isWaiting, let shard = task?.shard else { return }
        endWaitForRate()
        findConnection(on: shard)
    }

    private func findConnection(on shard: Shard<AttemptDriver>) {
        if attempt.isAdmitted() { connect(on: shard) }
    }

    /// Sends the hop, and has the exchange recorded if there is a recorder.
    @inline(never)
    final func record(
        _ delegate: some ExchangeDelegate, on connection: Connection, _ prepared: PreparedExchange?
    ) {
        let hop = hop
        let recording = task?.defaults.recorder?.recording(of: hop, on: connection, for: delegate)
        connection.start(recording ?? delegate, hop, deadlines, prepared: prepared)
    }

    /// Ends the attempt without an exchange.
    private func fail(_ failure: AttemptFailure) {
        endAttempt(failure)
        attemptFailed(failure)
    }

    /// The same, and the task acts on it in a later tick: it may have been started from the end of another, which is still on
    /// the stack.
    private func failLater(_ failure: AttemptFailure) {
        endAttempt(failure)
        Self.perform(on: task?.loop) { self.attemptFailed(failure) }
    }

    private func endAttempt(_ failure: AttemptFailure) {
        endWaitForRate()
        attempt.failed(failure.reason, at: task?.now ?? .now)
        if let task, task === self, let circuits = task.defaults.policies.circuits {
            attempt.came(to: failure, circuits)
        }
    }

    /// Ends the attempt, whose outcome is not wanted: what it holds is given back, and it is not called again.
    final func abandonAttempt() {
        let now = task?.now ?? .now
        switch attempt.holding {
        case .exchange(let carrier): attempt.ended(.cancelled, carrier.leave())
        case .connectionRequest(let route):
            task?.shard?.abandon(route, self)
            attempt.failed(.cancelled, at: now)
        case .place:
            endWaitForRate()
            attempt.failed(.cancelled, at: now)
        case .nothing: break
        }
    }
}

extension Attempt {
    /// The connections along its route, which is lent.
    @inline(__always)
    fileprivate func pool(of shard: Shard<AttemptDriver>) -> ConnectionPool<AttemptDriver>? {
        guard let route else { return nil }
        return shard.pool(for: route)
    }
}

extension AttemptDriver: ConnectionRequester {
    var hop: Hop { attempt.hop ?? task?.plannedHop ?? Hop(request: URLRequest(withoutURL: ())) }

    var deadlines: Deadlines {
        task?.taskDeadlines ?? Deadlines(limits: Timeouts(), start: MonotonicInstant(nanoseconds: 0))
    }

    var isRepeatable: Bool { task?.isHopRepeatable ?? false }

    var wait: Wait {
        get { attempt.wait }
        set { attempt.wait = newValue }
        _modify { yield &attempt.wait }
    }

    func waits(since start: MonotonicInstant) {
        task?.tell(.waiting(for: .connection), by: attempt.number, at: start)
    }

    func waited(since start: MonotonicInstant, until end: MonotonicInstant) {
        task?.tell(.waited(for: .connection, since: start), by: attempt.number, at: end)
    }

    func lost(_ connection: FailedConnectionMetrics) {
        task?.tell(.connectionFailed(connection), by: attempt.number, at: task?.now ?? .now)
    }

    func begin(on connection: Connection, _ prepared: PreparedExchange?) -> Bool {
        if attempt.reservation != nil, !spend(at: connection.loop.now) { return false }
        return start(on: connection, prepared)
    }

    /// Counts the request for the rate. False if the attempt has to wait for that.
    private func spend(at now: MonotonicInstant) -> Bool {
        if attempt.reservation?.spend(at: now) == true {
            attempt.spent()
            return true
        }
        attempt.postponed()
        if let shard = task?.shard { waitForRate(on: shard) }
        return false
    }

    func connectionFailed(_ failure: DialFailure) {
        let failure = AttemptFailure(
            reason: failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress)
        switch failure.kind {
        case .local, .limited: failLater(failure)
        default: fail(failure)
        }
    }
}

// The delegate of the task is asked about the trust of servers.
extension AttemptDriver: DialRespondent {
    var answersServerTrust: Bool { task?.answersServerTrustChallenges ?? false }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        guard let task else { return question.answer(.performDefaultHandling) }
        task.ask(about: challenge, question)
    }

    func took(_ step: ConnectionStep) {
        if let task { task.tell(.connecting(step), by: attempt.number, at: task.exactNow) }
    }
}
