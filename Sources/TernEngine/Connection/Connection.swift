// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// The hinge: pulls bytes from the transport, feeds the exchange, hands events to what it carries; and the way back.
///
/// One per connection of the transport, owned by its pool, touched by its loop's thread only (which is what `@unchecked
/// Sendable` rests on). It carries one exchange at a time. What comes out of the exchange is told at once; the end of a
/// response is acted on only after everything received with it has been looked at, because a byte beyond the response
/// means that the connection must not be used again.
final class Connection: ReadinessHandler, @unchecked Sendable {
    /// Its owner's note: where it stands while it rests.
    var placeInLine: Int32 = -1
    let metrics: ConnectionMetrics
    /// Of the policies the server was judged by; nil without TLS.
    let trustGeneration: UInt64?
    let loop: ReactorLoop
    let token: RegistrationToken
    private let settings: ExchangeSettings
    let owner: any ConnectionOwner

    // Unchecked: these values call no code. `outgoing` hands out what is the user's, and `delegate` is taken out before
    // it is released; the others hold nothing of the user's. So no access can begin while another lasts.
    @safe @exclusivity(unchecked) var state = ConnectionState()
    /// While `state` is active or finishing.
    @safe @exclusivity(unchecked) private(set) var delegate: (any ExchangeDelegate)?
    @safe @exclusivity(unchecked) private(set) var deadlines: Deadlines?
    @safe @exclusivity(unchecked) var silence: Silence
    /// The number of bytes of content that the delegate was told of.
    var contentTold: Int64 = 0
    /// What the transport had sent when it was looked at last.
    var sentBefore: UInt64 = 0
    /// What it had sent and received when the exchange began.
    private var countsBefore: (sent: UInt64, received: UInt64) = (0, 0)
    private var noticesDeadPeer = false
    let transport: Transport
    @safe @exclusivity(unchecked) var exchange: Exchange
    @safe @exclusivity(unchecked) var outgoing = OutgoingRequest()
    @safe @exclusivity(unchecked) var held = HeldInput()
    /// The turn of the loop in which we last received.
    var receivedIn: UInt64 = 0

    init(
        transport: Transport, token: RegistrationToken, metrics: ConnectionMetrics, loop: ReactorLoop,
        settings: ExchangeSettings, owner: any ConnectionOwner, trustGeneration: UInt64? = nil
    ) {
        self.trustGeneration = trustGeneration
        self.transport = transport
        self.token = token
        self.metrics = metrics
        self.loop = loop
        self.settings = settings
        self.owner = owner
        exchange = settings.newExchange
        silence = Silence(loop.now)
    }

    /// Begins to carry the exchange that `hop` asks for, which may have begun already.
    func start(
        _ delegate: any ExchangeDelegate, _ hop: Hop, _ deadlines: Deadlines, prepared: PreparedExchange? = nil
    ) {
        guard case .resting = state.stage else {
            return delegate.exchangeEnded(.transfer(.connectionLost(nil)), Evidence())
        }
        do throws(InvalidRequest) {
            if state.exchangeCount == 0, let prepared {
                swap(&exchange, &prepared.exchange)
                swap(&outgoing, &prepared.outgoing)
            } else {
                try outgoing.begin(hop, on: &exchange, settings)
            }
        } catch {
            owner.connectionFree(self)
            return delegate.exchangeEnded(.request(.invalid(error)), Evidence())
        }
        state.begin()
        carry(delegate, deadlines)
        silence = Silence(loop.now)
        contentTold = 0
        countsBefore = (transport.sentCount, transport.receivedCount)
        sentBefore = countsBefore.sent
        if deadlines.limits.idle.map({ $0 > Silence.kernelPatience }) ?? true { detectDeadPeer() }
        setDeadline()
        delegate.exchangeBegan(on: self)
        // The delegate may have ended it.
        if case .active = state.stage { flush() }
    }

    /// Calls another delegate from now on, or none.
    func carry(_ other: (any ExchangeDelegate)?, _ deadlines: Deadlines?) {
        var other = other
        swap(&other, &delegate)
        self.deadlines = deadlines
    }

    /// Keeps the connection for later.
    func rest() {
        detectDeadPeer()
        // The last flight of a handshake may not have left.
        if isSending { flush() }
        loop.setDeadline(loop.now.advanced(by: idleLimit), for: token)
    }

    /// Whether an idle connection can carry a request now. What has arrived since it became idle is received first, and
    /// an end of stream or an unexpected byte closes the connection: the caller may have computed for a long time since
    /// the loop last looked, and bytes that are in the socket before a request is sent must never answer it.
    var isFit: Bool {
        if case .resting = state.stage, transport.hasInput { receiveResting() }
        if case .resting = state.stage { return true }
        return false
    }

    /// Closes the connection if it carries nothing.
    func retire() {
        guard case .resting = state.stage else { return }
        close()
        owner.connectionClosed(self, wasResting: true)
    }

    /// Ends the connection, and with it the exchange it carries.
    func end(_ reason: SessionError.Reason) {
        switch state.stage {
        case .active, .finishing: fail(reason)
        case .resting: retire()
        case .closed: break
        }
    }

    /// Closes the connection in the middle of an exchange, whose delegate is told nothing more.
    func leave() -> Evidence {
        let evidence = evidence
        carry(nil, nil)
        // What is left of the body may fill the kernel's buffers, and the peer does not read it.
        if outgoing.hasContent { transport.resetOnClose() }
        close()
        owner.connectionClosed(self, wasResting: false)
        return evidence
    }

    func close() {
        transport.sayGoodbye()
        if isSending { transport.resetOnClose() }
        abandon()
    }

    /// Whether what it carries takes nothing at the moment.
    var isPaused: Bool {
        get { state.isPaused }
        set {
            guard case .active = state.stage, newValue != state.isPaused else { return }
            state.isPaused = newValue
            if newValue {
                detectDeadPeer()
            } else {
                silence.paused(until: loop.now)
                setDeadline()
            }
            updateInterest()
            askForVisit()
        }
    }

    func ready(_ readiness: Readiness) {
        if readiness.contains(.deadline) { deadlinePassed() }
        if readiness.contains(.writable), isSending { flush() }
        // An event and a visit may come in one turn.
        if !readiness.isDisjoint(with: [.readable, .visit]), receivedIn != loop.turn {
            let buffers = unsafe ReceiveBuffers(input: loop.receiveBuffer, plaintext: loop.scratchBuffer)
            unsafe receive(into: buffers, toTheEnd: readiness.contains(.peerClosed))
        }
    }

    /// Has the kernel look after the connection, once it rests, is paused, or has no limit on silence that is shorter.
    /// Four system calls, which a connection for one quick response never makes.
    private func detectDeadPeer() {
        if noticesDeadPeer { return }
        noticesDeadPeer = true
        transport.detectDeadPeer()
    }

    private var idleLimit: Duration {
        guard let told = exchange.keepAlive?.timeout else { return settings.maximumIdleTime }
        // A second less than the server says, so that its close and our request do not cross.
        return min(settings.maximumIdleTime, .seconds(max(0, told - 1)))
    }

    /// Acts on a complete response, when everything received with it has been looked at.
    func finishIfComplete() {
        guard case .finishing = state.stage else { return }
        if state.isPaused {
            // The task ends, and its pause with it: an idle connection has to be watched.
            state.isPaused = false
            updateInterest()
        }
        guard let ending = state.finish(isExchangeReusable: exchange.isReusable, isSending: isSending) else { return }
        let evidence = evidence
        let delegate = delegate.take()
        // The next exchange begins with nothing of this one's.
        let dropped =
            if case .reuse = ending, outgoing.hasContent { outgoing.drop() } else { OutgoingRequest.Dropped?.none }
        switch ending {
        case .reuse: owner.connectionFree(self)
        case .close:
            close()
            owner.connectionClosed(self, wasResting: false)
        }
        delegate?.exchangeEnded(nil, evidence)
        dropped?.finish()
    }

    /// Does what the state says has to be done.
    func follow(_ consequence: ConnectionState.Consequence, _ error: SystemCallError? = nil) {
        switch consequence {
        case .none: break
        case .retire: retire()
        case .breakOff: fail(.transfer(.connectionLost(state.sendingError ?? error)))
        }
    }

    func fail(_ reason: SessionError.Reason) {
        let delegate = delegate
        let evidence = leave()
        delegate?.exchangeEnded(reason, evidence)
    }

    var evidence: Evidence {
        Evidence(
            wasReused: state.exchangeCount > 1, isAnswered: exchange.hasReceivedAnything,
            // What was pulled may wait sealed for the kernel; it cannot be pulled again.
            isSent: silence.isBegun || outgoing.isPulled,
            requestSent: silence.requestSent, sentCount: transport.sentCount &- countsBefore.sent,
            receivedCount: transport.receivedCount &- countsBefore.received)
    }

    /// Leaves the loop and closes the socket without a word.
    private func abandon() {
        if case .closed = state.close() { return }
        loop.deregister(token)
        transport.close()
        let dropped = outgoing.drop()
        held = HeldInput()
        dropped.finish()
    }
}
