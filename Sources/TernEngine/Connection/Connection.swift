// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// Moves bytes from the transport to the exchange and events to the delegate; and bytes of the request back.
///
/// One per connection of the transport, owned by its pool and used only on its loop's thread (hence `@unchecked
/// Sendable`). It carries one exchange at a time. Events of the exchange are delivered at once; the end of a response
/// takes effect only after all bytes received with it have been processed, because a byte after the response means that
/// the connection must not be reused.
final class Connection: ReadinessHandler, @unchecked Sendable {
    /// Used by its owner: the position in the list of idle connections.
    var placeInLine: Int32 = -1
    let metrics: ConnectionMetrics
    /// The generation of the policies that evaluated the server; nil without TLS.
    let trustGeneration: UInt64?
    let loop: ReactorLoop
    let token: RegistrationToken
    private let settings: ExchangeSettings
    let owner: any ConnectionOwner

    // Unchecked: these values run no other code. `outgoing` returns objects of the user instead of releasing them, and
    // `delegate` is moved out before it is released; the others hold nothing of the user. So accesses never overlap.
    @safe @exclusivity(unchecked) var state = ConnectionState()
    /// Set while `state` is active or finishing.
    @safe @exclusivity(unchecked) private(set) var delegate: (any ExchangeDelegate)?
    @safe @exclusivity(unchecked) private(set) var deadlines: Deadlines?
    @safe @exclusivity(unchecked) var silence: ActivityTimer
    /// The number of content bytes that were delivered.
    var contentTold: Int64 = 0
    /// The transport's count of sent bytes at the last check.
    var sentBefore: UInt64 = 0
    /// The counts of sent and received bytes when the exchange began.
    private var countsBefore: (sent: UInt64, received: UInt64) = (0, 0)
    private var noticesDeadPeer = false
    let transport: Transport
    @safe @exclusivity(unchecked) var exchange: Exchange
    @safe @exclusivity(unchecked) var outgoing = OutgoingRequest()
    @safe @exclusivity(unchecked) var held = HeldInput()
    /// The tick in which bytes were last received.
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
        silence = ActivityTimer(loop.now)
    }

    /// Starts to carry the exchange for `hop`, which may have begun already.
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
        silence = ActivityTimer(loop.now)
        contentTold = 0
        countsBefore = (transport.sentCount, transport.receivedCount)
        sentBefore = countsBefore.sent
        if deadlines.limits.idle.map({ $0 > ActivityTimer.kernelPatience }) ?? true { detectDeadPeer() }
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
        // The last flight of a handshake may not have been sent.
        if isSending { flush() }
        loop.setDeadline(loop.now.advanced(by: idleLimit), for: token)
    }

    /// Whether an idle connection can carry a request now. Bytes that have arrived since it became idle are received
    /// first, and an end of stream or an unexpected byte closes the connection: the caller may have computed for long
    /// since the loop last polled, and bytes that are in the socket before a request is sent must never answer it.
    var isFit: Bool {
        if case .resting = state.stage, transport.hasInput { receiveResting() }
        if case .resting = state.stage { return true }
        return false
    }

    /// Closes the connection if it is idle.
    func retire() {
        guard case .resting = state.stage else { return }
        close()
        owner.connectionClosed(self, wasResting: true)
    }

    /// Closes the connection, and ends the exchange it carries.
    func end(_ reason: SessionError.Reason) {
        switch state.stage {
        case .active, .finishing: fail(reason)
        case .resting: retire()
        case .closed: break
        }
    }

    /// Closes the connection during an exchange, whose delegate is not called again.
    func leave() -> Evidence {
        let evidence = evidence
        carry(nil, nil)
        // The rest of the body may fill the kernel's buffers, and the peer does not read it.
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

    /// Whether its delegate accepts no content at present.
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
        // An event and a visit may come in one tick.
        if !readiness.isDisjoint(with: [.readable, .visit]), receivedIn != loop.tick {
            let buffers = unsafe ReceiveBuffers(input: loop.receiveBuffer, plaintext: loop.scratchBuffer)
            unsafe receive(into: buffers, toTheEnd: readiness.contains(.peerClosed))
        }
    }

    /// Enables the kernel's checks of the connection when it is idle, is paused, or has no shorter idle timeout. Four
    /// system calls, which a connection for one quick response never makes.
    private func detectDeadPeer() {
        if noticesDeadPeer { return }
        noticesDeadPeer = true
        transport.detectDeadPeer()
    }

    private var idleLimit: Duration {
        guard let told = exchange.keepAlive?.timeout else { return settings.maximumIdleTime }
        // A second less than the server announces, so that its close and the next request do not cross.
        return min(settings.maximumIdleTime, .seconds(max(0, told - 1)))
    }

    /// Processes a complete response, after all bytes received with it.
    func finishIfComplete() {
        guard case .finishing = state.stage else { return }
        if state.isPaused {
            // The pause ends with the task: an idle connection must be watched.
            state.isPaused = false
            updateInterest()
        }
        guard let ending = state.finish(isExchangeReusable: exchange.isReusable, isSending: isSending) else { return }
        let evidence = evidence
        let delegate = delegate.take()
        // The next exchange starts with nothing of this one.
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

    /// Performs the actions of the state.
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
            // Content that was pulled may be sealed and waiting for the kernel; it cannot be pulled again.
            isSent: silence.isBegun || outgoing.isPulled,
            requestSent: silence.requestSent, sentCount: transport.sentCount &- countsBefore.sent,
            receivedCount: transport.receivedCount &- countsBefore.received)
    }

    /// Deregisters from the loop and closes the socket without a close_notify.
    private func abandon() {
        if case .closed = state.close() { return }
        loop.deregister(token)
        transport.close()
        let dropped = outgoing.drop()
        held = HeldInput()
        dropped.finish()
    }
}
