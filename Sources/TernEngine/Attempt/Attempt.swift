// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One try of a hop: along one route, with one place in the lines for rates and connections, and one exchange. A state
/// machine without I/O: its driver performs what it returns.
///
/// An ``AttemptDriver`` makes one attempt at a time, and owns the value, so that the first one costs nothing. Every way to
/// send a hop begins with ``begin(_:of:along:as:_:isHedge:at:)``: the first one, a repeat on another connection, a second one beside the
/// first, what follows a wait, an answer to a proxy, and what takes the place of a stored response that cannot be used. Every
/// way out returns what the attempt holds, and writes into ``record`` what it came to, once.
///
/// An attempt that answers in place of another one is moved whole: nothing is copied from one to the other.
struct Attempt: ~Copyable {
    private enum Stage {
        /// There is none. Exits: waiting.
        case none
        /// It waits until the rate permits a request. Exits: connecting, none.
        case waiting
        /// It waits for a connection. Exits: exchanging, waiting, none.
        case connecting
        /// Its exchange is in progress. Exit: none.
        case exchanging
    }

    private var stage = Stage.none
    /// The carrier of the exchange; nil while there is none.
    private(set) var carrier: (any Carrier)?
    /// Whether that is a connection.
    private(set) var isOnConnection = false
    /// Where the hop goes; of the last attempt, if there is none at present.
    private(set) var route: Route?
    /// The hop in the form in which it is sent; nil for the hop itself.
    private(set) var form: AttemptForm? {
        get { rare.parts?.form }
        set { rare.set(newValue) { $0.form = $1 } }
    }
    /// The place in the line for the rates of requests, until the request is sent; nil in a session without such rates.
    private(set) var reservation: RateReservation? {
        get { rare.parts?.reservation }
        set { rare.set(newValue) { $0.reservation = $1 } }
    }
    /// What the circuit breaker has let pass; nil in a session without one, and when its outcome is known.
    private var pass: CircuitPass? {
        get { rare.parts?.pass }
        set { rare.set(newValue) { $0.pass = $1 } }
    }
    /// What there is to say of it, until its driver takes that; nil without an attempt.
    private(set) var record: AttemptMetrics?
    /// Whether that was said already, because the next one begins later.
    private var isTold = false
    /// Its number in the task: 1 for the first one, 0 without one.
    private(set) var number: Int32 = 0
    /// Used by the pool while the attempt waits for a connection.
    var wait = Wait()
    private var rare = Rare<RareParts>()

    private struct RareParts: RareValue {
        var form: AttemptForm?
        var reservation: RateReservation?
        var pass: CircuitPass?
    }

    init() {}

    /// Begins along this route. It waits for the rate, and then for a connection.
    mutating func begin(
        _ number: Int32, of hop: borrowing Hop, along route: consuming Route, as form: consuming AttemptForm?,
        _ pass: consuming CircuitPass?, isHedge: Bool, at now: MonotonicInstant
    ) {
        stage = .waiting
        self.number = number
        isTold = false
        record = AttemptMetrics(request: form?.hop.request ?? hop.request, start: now, isHedge: isHedge)
        self.route = route
        // Most attempts have neither: passing them on would be one more reference counted.
        if rare.parts != nil || form != nil || pass != nil { (self.form, self.pass) = (form, pass) }
    }

    /// Whether it sends the hop in another form.
    @inline(__always)
    var hasForm: Bool { rare.parts?.form != nil }

    /// The hop in that form; nil for the hop itself.
    @inline(__always)
    var hop: Hop? { hasForm ? form?.hop : nil }

    /// It stands in the line for the rate.
    mutating func reserved(_ reservation: RateReservation) { self.reservation = reservation }

    /// The rate permits it. False if the attempt has ended meanwhile; otherwise a connection along its route is wanted.
    mutating func isAdmitted() -> Bool {
        guard case .waiting = stage else { return false }
        stage = .connecting
        return true
    }

    /// The rate that permitted the attempt has been used by others before a connection was there.
    mutating func postponed() { if case .connecting = stage { stage = .waiting } }

    /// The request counts for the rate.
    mutating func spent() { reservation = nil }

    /// A carrier has taken the hop: a connection, or what answers in place of one, which is no attempt.
    mutating func began(on carrier: any Carrier, _ connection: ConnectionMetrics?) {
        if let connection, case .connecting = stage { record?.began(on: carrier, connection) }
        stage = .exchanging
        self.carrier = carrier
        isOnConnection = connection != nil
    }

    /// The head of its response has arrived.
    mutating func answered(_ head: ResponseHead, at now: MonotonicInstant) {
        record?.answered(head, at: now)
    }

    /// The circuit breaker learns what it came to: the first that an attempt comes to counts.
    mutating func came(to head: ResponseHead, _ circuits: Circuits) {
        if let pass = pass.take() { circuits.learn(head, of: pass) }
    }

    mutating func came(to failure: AttemptFailure, _ circuits: Circuits) {
        if let pass = pass.take() { circuits.learn(failure, of: pass) }
    }

    /// What it comes to tells the circuit breaker nothing.
    mutating func givePassBack() { pass = nil }

    /// It ends without an exchange. The place in the line is given back.
    mutating func failed(_ reason: SessionError.Reason, at now: MonotonicInstant) {
        leave()
        reservation = nil
        record?.failed(reason, at: now)
    }

    /// The exchange is over, without a reason as it should be.
    mutating func ended(_ reason: SessionError.Reason?, _ evidence: Evidence) {
        // A stored response adds nothing to what was measured of a connection before it.
        if !evidence.isStored, record != nil { record?.ended(reason, evidence, at: carrier?.now ?? .now) }
        leave()
    }

    /// It has no carrier any more: its exchange is over, or goes on for another owner.
    private mutating func leave() {
        stage = .none
        carrier = nil
        isOnConnection = false
    }

    /// It is over. Returns what there is to say of it, once: before the next one begins, or when nothing follows.
    mutating func takeRecord(
        at now: MonotonicInstant, before continuation: AttemptMetrics.Continuation?
    ) -> AttemptMetrics? {
        pass = nil
        close(at: now, before: continuation)
        let record = record.take()
        return isTold ? nil : record
    }

    /// The same before a delay, during which the driver knows what it has come to.
    mutating func tellRecord(
        at now: MonotonicInstant, before continuation: AttemptMetrics.Continuation
    ) -> AttemptMetrics? {
        if isTold || carrier != nil { return nil }
        isTold = true
        close(at: now, before: continuation)
        return record
    }

    @inline(__always)
    private mutating func close(at now: MonotonicInstant, before continuation: AttemptMetrics.Continuation?) {
        if let continuation { record?.isFollowed(by: continuation) }
        record?.left(at: now, route)
    }

    /// Why another follows, or none.
    mutating func isFollowed(by continuation: AttemptMetrics.Continuation) { record?.isFollowed(by: continuation) }

    mutating func isNotRetried(_ refusal: RetryRefusal) { record?.isNotRetried(refusal) }

    /// Whether it waits for the rate.
    var isWaiting: Bool { if case .waiting = stage { true } else { false } }

    /// What an attempt holds, for an owner that gives it up.
    enum Holding {
        case nothing
        /// A place in the line for the rate.
        case place
        /// A place among those that wait for a connection along this route.
        case connectionRequest(Route)
        case exchange(any Carrier)
    }

    var holding: Holding {
        switch stage {
        case .none: .nothing
        case .waiting: .place
        case .connecting: route.map { .connectionRequest($0) } ?? .nothing
        case .exchanging: carrier.map { .exchange($0) } ?? .nothing
        }
    }
}

/// What the attempts of one hop have in common: what one has found out, the next ones go by.
struct HopAttempts {
    /// The number of hops before theirs.
    let hop: Int
    /// How many attempts the task has made, those of other hops included.
    private(set) var count: Int32
    /// Of the hosts that earlier hops were connected to: their names mean the same addresses.
    private(set) var keptAddresses: [AddressOverride] = []
    /// Whether no attempt was made.
    private(set) var isNew = true
    /// Whether a byte of an attempt that is over may have reached a server.
    private(set) var wasSent = false
    /// How many attempts were made because a kept-alive connection turned out to be dead: 0 or 1.
    private(set) var repeatCount: Int32 = 0
    /// Whether a connection that was used before will not do.
    private(set) var needsUnusedConnection = false
    /// How many challenges of proxies were answered since the hop began or was retried.
    private var challengeCount: Int32 = 0
    /// Whether no proxy has requested a credential for the hop, or its content.
    private(set) var isUnanswered = true

    init() { (hop, count) = (0, 0) }

    private init(of hop: Int, after previous: HopAttempts) {
        (self.hop, count, keptAddresses) = (hop, previous.count, previous.keptAddresses)
    }

    /// Those of the next hop: `last` was the attempt that answered, or ended, the one before.
    func next(hop: Int, keeping last: AttemptMetrics?) -> HopAttempts {
        var next = HopAttempts(of: hop, after: self)
        if let host = last?.request.host, let connection = last?.connection, connection.isDirect,
            case .ip(let address, _) = connection.remoteAddress
        {
            next.keptAddresses.append(AddressOverride(host: host, port: nil, addresses: [address]))
            if next.keptAddresses.count > RedirectPolicy.maximumRememberedHops { next.keptAddresses.removeFirst() }
        }
        return next
    }

    mutating func begin() { isNew = false }

    /// Another attempt begins. Returns its number.
    mutating func next() -> Int32 {
        count &+= 1
        return count
    }

    /// An attempt is over.
    mutating func note(_ attempt: borrowing AttemptMetrics) { if attempt.wasSent { wasSent = true } }

    /// The connection was dead: the next attempt is the repeat.
    mutating func noteRepeat() {
        repeatCount &+= 1
        needsUnusedConnection = true
    }

    /// The connection was not the right one.
    mutating func needUnusedConnection() { needsUnusedConnection = true }

    /// Whether the head is a challenge of the proxy that the next attempt answers.
    mutating func answersProxy(_ head: ResponseHead, to form: AttemptForm?, _ rule: ProxyRule?) -> Bool {
        guard let form, let rule, rule.answers(head, to: form, after: Int(challengeCount)) else { return false }
        challengeCount &+= 1
        isUnanswered = false
        return true
    }

    /// The hop is retried: a proxy whose nonces are for one use requests another answer.
    mutating func beginRetry() { challengeCount = 0 }
}
