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
final class Connection: ReadinessHandler, ArrivalReader, @unchecked Sendable {
    /// Used by its owner: the position in the list of idle connections.
    var queueIndex: Int32 = -1
    let metrics: ConnectionMetrics
    /// The generation of the policies that evaluated the server; nil without TLS.
    let trustGeneration: UInt64?
    let loop: ReactorLoop
    let token: RegistrationToken
    private let settings: ExchangeSettings
    /// From now on it begins no exchange; nil for no limit.
    private let expiry: MonotonicInstant?
    private let owner: any ConnectionOwner

    // Unchecked: these values run no other code. `outgoing` returns objects of the user instead of releasing them, and
    // `delegate` is moved out before it is released; the others hold nothing of the user. So accesses never overlap.
    @safe @exclusivity(unchecked) private var state: ConnectionState
    /// Set while `state` is active or finishing.
    @safe @exclusivity(unchecked) private var delegate: (any ExchangeDelegate)?
    @safe @exclusivity(unchecked) private var deadlines: Deadlines?
    @safe @exclusivity(unchecked) private var activity: ActivityTimer
    /// When its last exchange was over.
    private(set) var idleSince: MonotonicInstant
    /// How long it had been idle when its exchange began, in nanoseconds.
    private var idleBefore: Int64 = 0
    /// How long it had been idle when the server closed it without a word, if that is how it ended.
    private(set) var closedAfter: Duration?
    /// The number of content bytes that were delivered.
    private var contentReported: Int64 = 0
    /// The transport's count of sent bytes at the last check.
    private var sentBefore: UInt64 = 0
    /// The counts of sent and received bytes when the exchange began.
    private var countsBefore: (sent: UInt64, received: UInt64) = (0, 0)
    /// How fast the bytes of the exchange may pass; nil for no limit.
    private var pace: Pace?
    /// Until then the pace lets no bytes of the exchange pass; nil for now.
    private var heldUntil: MonotonicInstant?
    /// The counts of sent and received bytes that the pace knows.
    private var pacedCounts: (sent: UInt64, received: UInt64) = (0, 0)
    private var noticesDeadPeer = false
    private let transport: Transport
    @safe @exclusivity(unchecked) private var exchange: Exchange
    @safe @exclusivity(unchecked) private var outgoing = OutgoingRequest()
    @safe @exclusivity(unchecked) private var held = HeldInput()
    @safe @exclusivity(unchecked) private var lowWater = ReceiveLowWater()
    /// The tick in which bytes were last received.
    private var receivedIn: UInt64 = 0

    init(
        transport: Transport, token: RegistrationToken, metrics: ConnectionMetrics, loop: ReactorLoop,
        settings: ExchangeSettings, owner: any ConnectionOwner, trustGeneration: UInt64? = nil,
        servesOneExchange: Bool = false
    ) {
        self.trustGeneration = trustGeneration
        self.transport = transport
        self.token = token
        self.metrics = metrics
        self.loop = loop
        self.settings = settings
        self.owner = owner
        expiry = settings.maximumAge.map { metrics.connected.advanced(by: $0 * Double.random(in: 0.9...1)) }
        exchange = settings.newExchange
        activity = ActivityTimer(loop.now)
        idleSince = loop.now
        state = ConnectionState(servesOneExchange: servesOneExchange)
    }

    /// Whether it is only for the task for which a delegate accepted its server despite the policies.
    var servesOneExchange: Bool { state.servesOneExchange }

    /// Starts to carry the exchange for `hop`, which may have begun already.
    func start(
        _ delegate: any ExchangeDelegate, _ hop: Hop, _ deadlines: Deadlines, prepared: PreparedExchange? = nil
    ) {
        guard case .idle = state.stage else {
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
        assign(delegate, deadlines)
        activity = ActivityTimer(loop.now)
        idleBefore = loop.now.nanoseconds &- idleSince.nanoseconds
        contentReported = 0
        countsBefore = (transport.sentCount, transport.receivedCount)
        sentBefore = countsBefore.sent
        if deadlines.limits.idle.map({ $0 > ActivityTimer.kernelPatience }) ?? true { detectDeadPeer() }
        if let other = delegate.pace {
            (pace, heldUntil, pacedCounts) = (other, nil, countsBefore)
            // The limit of several exchanges may have been used up by others.
            keepPace()
        }
        setDeadline()
        if settings.watcher != nil { tell(.inUse) }
        delegate.exchangeBegan(on: self)
        // The delegate may have ended it.
        if case .active = state.stage { flush() }
    }

    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) {
        assign(delegate, deadlines)
        setDeadline()
    }

    /// Calls another delegate from now on, or none.
    private func assign(_ other: (any ExchangeDelegate)?, _ deadlines: Deadlines?) {
        var other = other
        swap(&other, &delegate)
        self.deadlines = deadlines
    }

    /// Keeps the connection for later.
    func rest() {
        tell(.idle)
        detectDeadPeer()
        // The last flight of a handshake may not have been sent.
        if transport.hasUnsent { flush() }
        let end = loop.now.advanced(by: idleLimit)
        loop.setDeadline(expiry.map { min($0, end) } ?? end, for: token)
    }

    /// Whether an idle connection can carry a request now. Bytes that have arrived since it became idle are received
    /// first, and an end of stream or an unexpected byte closes the connection: the caller may have computed for long
    /// since the loop last polled, and bytes that are in the socket before a request is sent must never answer it.
    var isFit: Bool {
        if case .idle = state.stage, isExpired { retire(.expired) }
        // What a tick has received and not opened came before the request, too.
        if case .idle = state.stage, transport.holdsInput { retire(.peer) }
        if case .idle = state.stage, transport.hasInput { receiveWhileIdle() }
        if case .idle = state.stage { return true }
        return false
    }

    /// Closes the connection if it is idle.
    func retire(_ reason: ConnectionClose = .session) {
        guard case .idle = state.stage else { return }
        close(reason)
        owner.connectionClosed(self, wasResting: true)
    }

    /// Closes the connection now if it is idle, or else when its exchange is over.
    func retireSoon() {
        state.mustRetire()
        retire()
    }

    /// Closes the connection, and ends the exchange it carries.
    func end(_ reason: SessionError.Reason) {
        switch state.stage {
        case .active, .finishing: fail(reason)
        case .idle: retire()
        case .closed: break
        }
    }

    /// Closes the connection during an exchange, whose delegate is not called again.
    func leave() -> Evidence {
        let evidence = evidence
        assign(nil, nil)
        // The rest of the body may fill the kernel's buffers, and the peer does not read it.
        if outgoing.hasContent { transport.resetOnClose() }
        close(.exchange)
        owner.connectionClosed(self, wasResting: false)
        return evidence
    }

    func close(_ reason: ConnectionClose = .session) {
        transport.sayGoodbye()
        if isSending { transport.resetOnClose() }
        abandon(reason)
    }

    /// Tells who watches.
    func tell(_ event: ConnectionEvent) {
        guard let watcher = settings.watcher else { return }
        loop.telling { watcher.connection(metrics.identifier, event, at: loop.now) }
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
                activity.paused(until: loop.now)
                setDeadline()
                watchArrivals()
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

    private var isExpired: Bool { expiry.map { $0 <= loop.now } ?? false }

    /// Whether it should carry no further exchange: it has carried enough, is old enough, or the server announces that it
    /// accepts at most one more, which might cross with its close.
    private var isWorn: Bool {
        if state.exchangeCount >= settings.maximumUses || isExpired { return true }
        return exchange.keepAlive?.max.map { $0 <= 1 } ?? false
    }

    private var idleLimit: Duration {
        guard let told = exchange.keepAlive?.timeout else { return settings.maximumIdleTime }
        // A second less than the server announces, so that its close and the next request do not cross.
        return min(settings.maximumIdleTime, .seconds(max(0, told - 1)))
    }

    /// Processes a complete response, after all bytes received with it.
    private func finishIfComplete() {
        guard case .finishing = state.stage else { return }
        if state.isPaused {
            // The pause ends with the task: an idle connection must be watched.
            state.isPaused = false
            updateInterest()
        }
        if isWorn { state.mustRetire() }
        guard let ending = state.finish(isExchangeReusable: exchange.isReusable, isSending: isSending) else { return }
        if pace != nil { (pace, heldUntil) = (nil, nil) }
        let evidence = evidence
        let delegate = delegate.take()
        // The next exchange starts with nothing of this one.
        let dropped =
            if case .reuse = ending, outgoing.hasContent { outgoing.drop() } else { OutgoingRequest.Dropped?.none }
        switch ending {
        case .reuse:
            idleSince = loop.now
            owner.connectionFree(self)
        case .close:
            close(.used)
            owner.connectionClosed(self, wasResting: false)
        }
        delegate?.exchangeEnded(nil, evidence)
        dropped?.finish()
    }

    /// Performs the actions of the state.
    private func follow(_ consequence: ConnectionState.Consequence, _ error: SystemCallError? = nil) {
        switch consequence {
        case .none: break
        case .retire: retire(.peer)
        case .breakOff: fail(.transfer(.connectionLost(state.sendingError ?? error)))
        }
    }

    private func fail(_ reason: SessionError.Reason) {
        let delegate = delegate
        if settings.reportsLoad, case .timedOut = reason { owner.answered(isOverloaded: true) }
        let evidence = leave()
        delegate?.exchangeEnded(reason, evidence)
    }

    private var evidence: Evidence {
        Evidence(
            wasReused: state.exchangeCount > 1, isAnswered: exchange.hasReceivedAnything,
            // Content that was pulled may be sealed and waiting for the kernel; it cannot be pulled again.
            isSent: activity.isBegun || outgoing.isPulled,
            requestSent: activity.requestSent, sentCount: transport.sentCount &- countsBefore.sent,
            receivedCount: transport.receivedCount &- countsBefore.received)
    }

    /// Deregisters from the loop and closes the socket without a close_notify.
    private func abandon(_ reason: ConnectionClose) {
        if case .closed = state.close() { return }
        tell(.closed(reason))
        loop.deregister(token)
        transport.close()
        let dropped = outgoing.drop()
        held = HeldInput()
        dropped.finish()
    }
}

// Receives, opens, decodes and delivers.
extension Connection {
    /// The number of bytes received at once from an idle connection: enough for session tickets that arrive late.
    private static let idleBufferSize = 4096
    /// Moving fewer bytes of content than this is faster than asking for a receive buffer.
    private static let leastRoom = 16 * 1024
    /// The content of chunks smaller than this, in bytes, is joined before it is delivered, which is cheaper.
    private static let smallChunk = 4096
    /// The approximate size of joined content.
    private static let joinedAtOnce = 16 * 1024

    /// Receives as much as one tick allows; epoll or a visit continues later. If the peer has closed, another read
    /// follows even after one that has emptied the kernel's buffer.
    private func receive(into buffers: ReceiveBuffers, toTheEnd: Bool = false) {
        transport.beginTick()
        let countBefore = transport.receivedCount
        var allowance = TickAllowance(
            among: loop.readyCount, receivedCount: countBefore,
            atMost: lowWater.receivedAtOnce(isSecure: transport.isSecure))
        let isWhole = allowance.left >= TickAllowance.maximum
        if let pace { allowance.limit(to: pace.stretch) }
        if !held.isEmpty { processHeld(&allowance) }
        while mayReceive(allowance), unsafe receiveOnce(buffers, &allowance) {
            if toTheEnd { transport.beginTick() }
        }
        unsafe readPastResponse(buffers)
        // A key update needs a reply.
        unsafe transport.endTick(buffers)
        if transport.hasUnsent { flush() }
        if keepPace() {
            setDeadline()
            updateInterest()
        }
        setLowWater(since: countBefore, isWhole: isWhole)
        finishIfComplete()
        receivedIn = loop.tick
        askForVisit()
    }

    /// - Parameters:
    ///   - before: the count of received bytes before this tick.
    ///   - isWhole: the tick may receive as much as one ever does.
    private func setLowWater(since before: UInt64, isWhole: Bool) {
        let isLarge = exchange.contentLeft > ReceiveLowWater.largeContent
        if !isLarge, !lowWater.isRaised { return }
        let total = transport.receivedCount
        let changes = lowWater.received(
            total &- before, total: total, isLarge: isLarge && isWhole && pace == nil, at: loop.now)
        if changes {
            transport.setReceiveLowWater(
                lowWater.isRaised ? ReceiveLowWater.raised(isSecure: transport.isSecure) : 1)
        }
        watchArrivals()
    }

    /// While the low-water mark is raised, what is below it waits for a visit.
    private func watchArrivals() {
        guard lowWater.isRaised, !lowWater.isWatched, !isStopped else { return }
        lowWater.isWatched = true
        loop.callWhenQuiet(self, isPatient: true)
    }

    func arrivalsPaused() {
        lowWater.isWatched = false
        guard lowWater.isRaised, !isStopped, case .active = state.stage else { return }
        if receivedIn == loop.tick { watchArrivals() } else { loop.visitLater(token) }
    }

    private func mayReceive(_ allowance: TickAllowance) -> Bool {
        switch state.stage {
        case .active: !mustStop(allowance) && held.isEmpty
        case .idle: !allowance.isSpent
        // Bytes that belong to no response are processed to the end, because they decide whether the connection can be
        // reused.
        case .finishing: transport.holdsInput
        case .closed: false
        }
    }

    /// Whether received bytes of a response wait for the next tick, or for the end of a pause.
    private func mustStop(_ allowance: TickAllowance) -> Bool {
        guard case .active = state.stage else { return false }
        return isStopped || allowance.isSpent
    }

    /// The next waiter gets the connection at once, so bytes that arrived during the delivery are processed first.
    private func readPastResponse(_ buffers: ReceiveBuffers) {
        guard case .finishing = state.stage, !state.isTainted, owner.isAwaited, transport.hasInput else {
            return
        }
        transport.beginTick()
        var allowance = TickAllowance(among: 1, receivedCount: transport.receivedCount)
        var isListening = true
        while unsafe receiveOnce(buffers, &allowance, isListening: isListening) { isListening = false }
        // No server sends that much between two exchanges.
        if hasUnread { follow(state.unexpectedBytes()) }
    }

    /// Whether bytes have arrived that are not opened, in the kernel or here.
    private var hasUnread: Bool { transport.holdsInput || transport.hasInput }

    private func askForVisit() {
        guard !held.isEmpty || transport.holdsInput, !isStopped else { return }
        loop.visitLater(token)
    }

    private func processHeld(_ allowance: inout TickAllowance) {
        if isStopped { return }
        var rest = HeldInput()
        swap(&rest, &held)
        if let content = rest.content.take() {
            let taken = delegate?.received(.body(0..<content.count), of: content.span, &allowance) ?? .all
            if case .some(let count) = taken, case .active = state.stage { held.content = content.dropFirst(count) }
        }
        let decoded = unsafe rest.message.withUnsafeMutableBytes { bytes in unsafe decode(bytes, &allowance) }
        if case .active = state.stage { held.message = rest.message.dropFirst(decoded) }
    }

    /// Receives the bytes sent to an idle connection. The reactor's buffers may be in use: this may run within a call
    /// of another connection's delegate.
    private func receiveWhileIdle() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.idleBufferSize, alignment: 16) { buffer in
            let (first, second) = unsafe (buffer[..<Self.idleBufferSize], buffer[Self.idleBufferSize...])
            unsafe receive(into: ReceiveBuffers(input: .init(rebasing: first), plaintext: .init(rebasing: second)))
        }
        // No server sends that much between two exchanges.
        if case .idle = state.stage, hasUnread { retire() }
    }

    /// Content that is known to come next is received in its final place, if the delegate provides a buffer.
    private func place(_ buffers: ReceiveBuffers) -> ReceiveBuffers {
        guard exchange.contentLeft >= Self.leastRoom, case .active = state.stage,
            let room = unsafe delegate?.room(for: exchange.contentLeft)
        else { return unsafe buffers }
        return unsafe buffers.receiving(
            into: .init(rebasing: room.prefix(exchange.contentLeft)), isOpened: transport.isSecure)
    }

    /// Opens received bytes, or receives if allowed. Returns whether more may be available now.
    private func receiveOnce(
        _ buffers: ReceiveBuffers, _ allowance: inout TickAllowance, isListening: Bool? = nil
    ) -> Bool {
        let buffers = unsafe place(buffers)
        let received: Received
        do throws(TransportError) {
            received = try unsafe receiveNext(buffers, &allowance, isListening: isListening ?? isActiveOrIdle)
        } catch {
            inputFailed(error)
            return false
        }
        switch received {
        case .nothing: return false
        case .message: allowance.spend(TickAllowance.message)
        case .bytes(let count):
            let bytes = unsafe buffers.received(count, isOpened: transport.isSecure)
            // Only application data counts as activity: a peer that only changes keys is idle.
            activity.end(loop.now)
            allowance.spend(TickAllowance.record * transport.recordCount)
            let decoded = unsafe decode(bytes, &allowance)
            if decoded < bytes.count, case .active = state.stage {
                held.message = unsafe Array(bytes[decoded...])[...]
            }
            // Bytes received at once are processed in one tick if possible.
            if let count = transport.workedOffCount { allowance.settle(count) }
        case .endOfStream(let isOrderly):
            inputEnded(isOrderly: isOrderly)
            return false
        }
        return true
    }

    private func receiveNext(
        _ buffers: ReceiveBuffers, _ allowance: inout TickAllowance, isListening: Bool
    ) throws(TransportError) -> Received {
        while true {
            let received = try unsafe transport.receive(buffers, atMost: allowance.left, isListening: isListening)
            if let received { return received }
            // Paid before there is more, although it ended in the middle of a record.
            if let count = transport.workedOffCount { allowance.settle(count) }
            if allowance.isSpent { return .nothing }
        }
    }

    private var isActiveOrIdle: Bool {
        switch state.stage {
        case .active, .idle: true
        case .finishing, .closed: false
        }
    }

    /// Decodes and delivers. Returns the position reached: the end, unless the tick is over or the task is paused.
    private func decode(_ bytes: UnsafeMutableRawBufferPointer, _ allowance: inout TickAllowance) -> Int {
        // The buffer is borrowed, and does not move until this call returns. Decoded bytes may move between two reads.
        let input = unsafe bytes.assumingMemoryBound(to: UInt8.self)
        var offset = 0
        while true {
            guard case .active = state.stage else {
                if offset < bytes.count {
                    // A server may say why it closes (RFC 9110 §15.5.9).
                    if case .idle = state.stage { noteClose() }
                    follow(state.unexpectedBytes())
                }
                return bytes.count
            }
            if held.content != nil { return offset }
            // The end of a response may be delivered without further bytes.
            if offset < bytes.count, mustStop(allowance) { return offset }
            do throws(HTTPProtocolError) {
                var event = try exchange.receive(unsafe input.span, from: &offset)
                switch event {
                case .needMoreBytes: return bytes.count
                case .handedOver:
                    switchProtocols(behind: unsafe Array(bytes[offset...]))
                    return bytes.count
                case .body(let content) where content.count < Self.smallChunk:
                    event = .body(unsafe join(content, in: input, upTo: &offset, &allowance))
                case .body, .head, .informational, .end: break
                }
                allowance.spend(TickAllowance.event)
                tell(event, of: unsafe input.span, &allowance)
            } catch {
                fail(.transfer(.malformedResponse(error)))
                return bytes.count
            }
        }
    }

    /// Moves the content of the following chunks up to `content`, over the framing between them: a chunk may hold one
    /// byte, and delivering each costs more than that.
    private func join(
        _ content: Range<Int>, in input: UnsafeMutableBufferPointer<UInt8>, upTo offset: inout Int,
        _ allowance: inout TickAllowance
    ) -> Range<Int> {
        let bytes = UnsafeMutableRawBufferPointer(input)
        var end = content.upperBound
        while end &- content.lowerBound < Self.joinedAtOnce, !allowance.isSpent,
            let next = exchange.receiveFurtherContent(unsafe input.span, from: &offset)
        {
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
            unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[next]))
            end &+= next.count
            allowance.spend(TickAllowance.chunk)
        }
        return content.lowerBound..<end
    }

    private func tell(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) {
        if case .head = event { activity.answered() }
        if settings.reportsLoad, case .head(let head) = event {
            owner.answered(isOverloaded: head.status == 429 || head.status == 503)
        }
        let taken = delegate?.received(event, of: bytes, &allowance) ?? .all
        switch event {
        case .body(let range):
            guard case .some(let count) = taken, case .active = state.stage else { return }
            let rest = bytes.extracting((range.lowerBound + min(count, range.count))..<range.upperBound)
            held.content = unsafe rest.withUnsafeBufferPointer { unsafe Array($0) }[...]
        case .end: state.responseEnded()
        case .head: permissionMayHaveCome(isFinal: true)
        case .informational: permissionMayHaveCome(isFinal: false)
        case .needMoreBytes, .handedOver: break
        }
    }

    private func inputFailed(_ error: TransportError) {
        switch error {
        case .system(let error):
            noteClose()
            follow(state.inputEnded(), error)
        case .tls(let error):
            // A complete response stays complete, whatever follows it.
            if case .finishing = state.stage { follow(state.unexpectedBytes()) } else { end(.tls(error)) }
        }
    }

    private func inputEnded(isOrderly: Bool) {
        if case .active = state.stage, isOrderly, let event = try? exchange.receiveEndOfStream() {
            if case .handedOver = event { return switchProtocols(behind: [], hasEnded: true) }
            var allowance = TickAllowance(among: 1, receivedCount: 0)
            tell(event, of: Span(), &allowance)
        } else {
            noteClose()
            follow(state.inputEnded())
        }
    }
}

// How long the server keeps it.
extension Connection {
    /// A close that comes later than this after the beginning of the request did not cross with it.
    private static let crossesWithin = Duration.seconds(1)

    /// Whether it has carried an exchange.
    var wasUsed: Bool { state.exchangeCount > 0 }

    /// How long it has been idle, if it is.
    func idleTime(at now: MonotonicInstant) -> Duration { idleSince.duration(to: now) }

    /// How long it had been idle when its exchange began.
    var idleTimeBeforeUse: Duration { .nanoseconds(idleBefore) }

    /// The server has closed it. It had announced nothing, or else there would be no next exchange.
    private func noteClose() {
        switch state.stage {
        case .idle: if wasUsed { closedAfter = idleTime(at: loop.now) }
        case .active: if isReused, !exchange.hasReceivedAnything, isRecent { closedAfter = idleTimeBeforeUse }
        case .finishing: if exchange.isReusable { closedAfter = .zero }
        case .closed: break
        }
    }

    /// Whether the exchange began a moment ago.
    private var isRecent: Bool { idleTime(at: loop.now) - idleTimeBeforeUse <= Self.crossesWithin }
}

// Encodes, seals and sends.
extension Connection {
    /// Whether a part of the request, or of a reply to the peer's messages, has not been sent.
    private var isSending: Bool { !outgoing.isSent || transport.hasUnsent }

    /// Whether the kernel must take more bytes first.
    private var isBlocked: Bool {
        if case .writability = outgoing.waitReason { return true }
        return transport.hasUnsent
    }

    /// Sends until everything is sent, the kernel takes no more, or something else must happen first.
    private func flush() {
        let result = Result { () throws(SendingError) in
            // A complete response stays complete, whatever happens to the request.
            if case .active = state.stage, heldUntil == nil { try sendRequest() }
            do throws(TransportError) {
                // Bytes that the kernel did not take before, with no new ones.
                try transport.flush()
            } catch {
                throw .transport(error)
            }
        }
        let sent = transport.sentCount
        noteSent(sent != sentBefore, isAll: !isSending)
        sentBefore = sent
        if keepPace() || mustWatchSending { setDeadline() }
        switch result {
        case .success: updateInterest()
        case .failure(.transport(.system(let error))): return sendingFailed(error)
        case .failure(.transport(.tls(let error))): return end(.tls(error))
        case .failure(.content(let error)): return end(.request(.body(error)))
        }
        let content = outgoing.contentHandedOver
        if content != contentReported {
            contentReported = content
            delegate?.sent(content, of: outgoing.contentLength)
        }
    }

    /// Sends as much as one tick allows. A content source may run any code, and cause the connection to be closed.
    private func sendRequest() throws(SendingError) {
        var allowance = TickAllowance(among: loop.readyCount)
        if let pace { allowance.limit(to: pace.stretch) }
        while true {
            switch try outgoing.send(over: transport, on: &exchange, &allowance) {
            case .wait: return
            case .make(let make):
                let source: any BodySource
                do { source = try make() } catch { throw .content(.failed(error)) }
                if !outgoing.take(source) { source.finish() }
            case .ask(let source):
                if outgoing.takesStretches, let stretch = (source as? any FileBodySource)?.nextStretch() {
                    if try !outgoing.take(stretch, of: source) { source.finish() }
                    continue
                }
                let piece = source.next(atMost: OutgoingRequest.pieceSize, wake: wakeUp)
                if try !outgoing.take(piece, of: source, on: &exchange, &allowance) { source.finish() }
            }
        }
    }

    /// The last bytes may have left before the source said that they were the last.
    private func noteSent(_ hasSent: Bool, isAll: Bool) {
        guard case .active = state.stage, activity.requestSent == nil else { return }
        if hasSent || isAll && activity.isBegun { activity.sent(all: isAll, loop.now) }
    }

    /// Called for the source of this request's content: it has more.
    private var wakeUp: @Sendable () -> Void {
        let count = state.exchangeCount
        return { [weak self, loop] in
            guard let self else { return }
            loop.execute {
                guard self.state.exchangeCount == count, case .source = self.outgoing.waitReason else { return }
                self.outgoing.sourceHasMore()
                self.flush()
            }
        }
    }

    /// The content may have waited for this response.
    private func permissionMayHaveCome(isFinal: Bool) {
        guard case .permission = outgoing.waitReason else { return }
        // A server that has responded does not need the rest of the content.
        if isFinal {
            outgoing.drop().finish()
            return
        }
        if !exchange.isAwaitingContinue { flush() }
    }

    /// The response comes first; the error counts only if there is none.
    private func sendingFailed(_ error: SystemCallError) {
        let consequence = state.outputFailed(error)
        if case .none = consequence {
            let dropped = outgoing.drop()
            updateInterest()
            dropped.finish()
        }
        follow(consequence, error)
    }

    private func updateInterest() {
        if case .closed = state.stage { return }
        // Stop receiving from a peer that keeps requesting replies and does not read them.
        var interest: Interest = isStopped || transport.owesTooMuch ? [] : .readable
        if state.sendingError == nil, isBlocked, heldUntil == nil { interest.insert(.writable) }
        do throws(SystemCallError) {
            try loop.setInterest(interest, for: token)
        } catch {
            end(.system(error))
        }
    }
}

// The pace of the exchange.
extension Connection {
    /// Whether no content is received: the delegate accepts none, or the pace lets none pass.
    private var isStopped: Bool { isPaused || heldUntil != nil }

    /// Counts the bytes that have passed. Returns whether no more may for a while.
    @discardableResult
    private func keepPace() -> Bool {
        guard pace != nil, heldUntil == nil else { return false }
        return countPassed()
    }

    private func countPassed() -> Bool {
        guard let pace else { return false }
        let counts = (sent: transport.sentCount, received: transport.receivedCount)
        let end = pace.passed(
            sent: counts.sent &- pacedCounts.sent, received: counts.received &- pacedCounts.received, at: loop.now)
        pacedCounts = counts
        // The exchanges after one that is complete wait.
        if case .active = state.stage { heldUntil = end }
        return heldUntil != nil
    }

    /// More bytes may pass.
    private func goOn() {
        heldUntil = nil
        activity.paused(until: loop.now)
        // Others may have used up what they share.
        if keepPace() { return setDeadline() }
        setDeadline()
        if isSending { flush() } else { updateInterest() }
        askForVisit()
    }
}

// The deadline of the exchange.
extension Connection {
    /// Whether there is a timeout that starts when the request has been sent, or waits.
    private var mustWatchSending: Bool {
        if case .permission = outgoing.waitReason { return true }
        return deadlines?.limits.head != nil
    }

    private func setDeadline() {
        guard let deadlines else { return }
        var instant = activity.next(deadlines, isPaused: isStopped)?.instant
        if let heldUntil { instant = instant.map { min($0, heldUntil) } ?? heldUntil }
        if case .permission = outgoing.waitReason {
            let permission = activity.permissionDeadline(deadlines.limits.permission)
            instant = instant.map { min($0, permission) } ?? permission
        }
        loop.setDeadline(instant, for: token)
    }

    private func deadlinePassed() {
        switch state.stage {
        case .idle: retire(.expired)
        case .active, .finishing:
            if case .permission = outgoing.waitReason, activity.isPermissionDue(loop.now, deadlines?.limits.permission)
            {
                outgoing.stopAwaitingPermission()
                flush()
                return setDeadline()
            }
            if let heldUntil, heldUntil <= loop.now { return goOn() }
            if let deadlines, let next = activity.next(deadlines, isPaused: isStopped), next.instant <= loop.now {
                return fail(.timedOut(next.limit))
            }
            setDeadline()
        case .closed: break
        }
    }
}

extension Connection {
    /// Stops being an HTTP connection, without calling the delegate. The caller receives the socket, with the bytes
    /// that have arrived.
    func handOver(_ early: [UInt8] = [], hasEnded: Bool = false) -> Handover {
        _ = state.close()
        tell(.closed(.handedOver))
        carry(nil, nil)
        loop.setDeadline(nil, for: token)
        outgoing.drop().finish()
        held = HeldInput()
        owner.connectionClosed(self, wasResting: false)
        return Handover(transport: transport, token: token, metrics: metrics, early: early, hasEnded: hasEnded)
    }

    /// The server switches to another protocol (RFC 9110 §7.8). The switch takes effect once the whole request has been
    /// sent, and only if the delegate takes over.
    private func switchProtocols(behind early: [UInt8], hasEnded: Bool = false) {
        guard outgoing.isSent, let delegate, delegate.takesOver else { return fail(.transfer(.upgradeNotTaken)) }
        let evidence = evidence
        delegate.handedOver(handOver(early, hasEnded: hasEnded), evidence)
    }
}

// The rest of an unwanted response.
extension Connection {
    /// The maximum number of bytes drained to reuse the connection: beyond it, opening another one costs less.
    static let maximumDrainedSize = 64 * 1024
    /// The maximum time for that: a waiter may wait for this connection.
    private static let drainedWithin = Duration.seconds(1)

    /// Leaves the exchange: its delegate is not called again. The rest of the response is drained if it is known to be
    /// short, and then the connection is free. Otherwise it is closed.
    func leaveRest() -> Evidence {
        guard case .active = state.stage, !isSending, exchange.contentLeft > 0,
            exchange.contentLeft <= Self.maximumDrainedSize
        else { return leave() }
        let evidence = evidence
        carry(Leftover.shared, Deadlines(limits: Timeouts(idle: nil, total: Self.drainedWithin), start: loop.now))
        isPaused = false
        setDeadline()
        return evidence
    }
}

/// Discards everything it receives.
private final class Leftover: ExchangeDelegate, Sendable {
    static let shared = Leftover()

    func exchangeBegan(on carrier: any Carrier) {}

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { nil }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        .all
    }

    var pace: Pace? { nil }

    var takesOver: Bool { false }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {}

    func sent(_ count: Int64, of length: Int64?) {}

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {}
}

extension Connection: Carrier {
    var connectionMetrics: ConnectionMetrics? { metrics }

    var isReused: Bool { state.exchangeCount > 1 }
}

/// Opened bytes that are not processed, because the tick is over or the task is paused. Usually empty; then it owns no
/// memory.
private struct HeldInput {
    /// The rest of offered content, which comes first; it may be empty.
    var content: ArraySlice<UInt8>?
    /// The HTTP bytes after it.
    var message: ArraySlice<UInt8> = []

    var isEmpty: Bool { content == nil && message.isEmpty }
}

/// Owns a connection that carries no exchange: its pool.
protocol ConnectionOwner: AnyObject {
    /// Whether a task waits for a connection.
    var isAwaited: Bool { get }

    /// A server has answered, or has not in time, if the owner wants to know that.
    func answered(isOverloaded: Bool)

    /// The exchange is over, and the connection can carry another.
    func connectionFree(_ connection: Connection)

    /// The connection is closed, while it was idle or during an exchange.
    func connectionClosed(_ connection: Connection, wasResting: Bool)
}
