// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// The hinge: pulls bytes from the transport, feeds the exchange, hands events to the task; and the way back.
///
/// One per TCP connection, owned by its pool, touched by its loop's thread only (which is what
/// `@unchecked Sendable` rests on). It carries one task at a time. What
/// comes out of the exchange is delivered at once; the end of a response is acted on only after everything received with
/// it has been looked at, because a byte beyond the response means that the connection must not be used again.
final class Connection: ReadinessHandler, LineMember, @unchecked Sendable {
    /// Bytes received at once from a resting connection: enough for the session tickets that may come late.
    private static let restingBufferSize = 4096
    /// How soon, at the latest, the kernel notices a peer that is gone.
    private static let kernelPatience = Duration.seconds(60)

    private enum State {
        /// Waits for a task. Exits: active, closed.
        case resting
        /// Carries a task's exchange. Exits: finishing, closed.
        case active(SessionTask)
        /// The response is complete, the bytes received with it are not all looked at. Exits: resting, closed.
        case finishing(SessionTask)
        /// For good.
        case closed
    }

    let origin: Origin
    /// On its pool's shelf.
    var placeInLine: Int32 = -1
    private let metrics: ConnectionMetrics
    private let shard: Shard
    private let pool: ConnectionPool
    private let loop: ReactorLoop
    private let token: RegistrationToken
    /// Of the policies the server was judged by; nil without TLS.
    private let trustGeneration: UInt64?
    private var transport: Transport?
    private var exchange: Exchange
    private var state = State.resting
    private var outgoing = OutgoingRequest()
    private var exchangeCount = 0
    /// What is sent from now on are answers to the peer's messages.
    private var isRequestSent = false
    private var isPaused = false
    private var hasStrayBytes = false
    private var noticesDeadPeer = false
    private var sendingError: SystemError?
    private var lastActivity: MonotonicInstant
    private var held = HeldInput()
    /// The turn of the loop in which we last received.
    private var receivedIn: UInt64 = 0

    init(
        transport: consuming Transport, token: RegistrationToken, metrics: ConnectionMetrics, origin: Origin,
        shard: Shard, pool: ConnectionPool, trustGeneration: UInt64? = nil
    ) {
        self.trustGeneration = trustGeneration
        self.transport = consume transport
        self.token = token
        self.metrics = metrics
        self.origin = origin
        self.shard = shard
        self.pool = pool
        loop = shard.loop
        exchange = Exchange(limits: shard.configuration.limits)
        lastActivity = shard.loop.now
    }

    /// Begins to carry `task`.
    func start(_ task: SessionTask) {
        guard case .resting = state else { return task.complete(error(.connectionLost(nil), for: task)) }
        task.run.place = .active(self)
        task.run.metrics?.connectionAcquired = loop.now
        task.run.metrics?.connection = metrics
        task.run.metrics?.isConnectionReused = exchangeCount > 0
        do throws(InvalidRequest) {
            try begin(task)
        } catch {
            shard.reject(task, error)
            return pool.release(self)
        }
        state = .active(task)
        isRequestSent = false
        if task.timeouts.idle.map({ $0 > Self.kernelPatience }) ?? true { noticeDeadPeer() }
        exchangeCount += 1
        lastActivity = loop.now
        setDeadline(for: task)
        task.delegate.task(task, willSendOn: metrics)
        // The delegate may have cancelled.
        guard case .active = state else { return }
        flush()
        if task.isSuspended { updatePause() }
    }

    /// Keeps the connection for later.
    func rest() {
        noticeDeadPeer()
        // The last flight of a handshake that nobody waits for any more.
        if isSending { flush() }
        loop.setDeadline(loop.now.advanced(by: idleLimit), for: token)
    }

    /// Whether a resting connection can take a task, now: what has arrived since it came to rest, told or not, is taken in
    /// first, and an end of stream or a stray byte closes it. Whoever asks may have computed for long since the loop last
    /// looked, and bytes that lie in the socket before a request is sent must never answer it.
    var isFit: Bool {
        if case .resting = state, transport?.socket.hasInput == true { receiveResting() }
        retireIfOutdated()
        if case .resting = state { return true }
        return false
    }

    /// Closes a resting connection whose server was judged by policies that count no more.
    func retireIfOutdated() {
        if case .resting = state, isOutdated { retire() }
    }

    /// Whether the server was judged by policies that count no more.
    var isOutdated: Bool { trustGeneration.map { $0 != shard.trust.generation } ?? false }

    /// Ends the connection, and with it the task it carries.
    func end(_ reason: EngineError.Reason) {
        switch state {
        case .active(let task), .finishing(let task): fail(task, reason)
        case .resting: retire()
        case .closed: break
        }
    }

    /// Closes a connection that carries no task, and tells the pool: what stays in it is taken for usable.
    private func retire() {
        let isIdle = if case .resting = state { true } else { false }
        close()
        if isIdle { pool.idleConnectionLost(self) } else { pool.connectionLost(self) }
    }

    func close() {
        transport?.sayGoodbye()
        if isSending { transport?.socket.resetOnClose() }
        abandon()
    }

    func updatePause() {
        guard case .active(let task) = state else { return }
        let wasPaused = isPaused
        isPaused = task.isSuspended
        if wasPaused, !isPaused {
            // The silence was ours.
            lastActivity = loop.now
            setDeadline(for: task)
        }
        if isPaused { noticeDeadPeer() }
        updateInterest()
        askForVisit()
    }

    func ready(_ readiness: Readiness) {
        if readiness.contains(.deadline) { deadlinePassed() }
        if readiness.contains(.writable), isSending { flush() }
        // An event and a visit may come in one turn.
        if !readiness.isDisjoint(with: [.readable, .visit]), receivedIn != loop.turn {
            unsafe receive(into: loop.receiveBuffer, loop.scratchBuffer, toTheEnd: readiness.contains(.peerClosed))
        }
    }

    /// Has the kernel look after the connection, once it rests, is paused, or has no limit on silence that is shorter. Four
    /// system calls, which a connection for one quick response never makes.
    private func noticeDeadPeer() {
        if noticesDeadPeer { return }
        noticesDeadPeer = true
        // Nothing but time depends on it: whoever sends to a dead peer learns of it.
        try? transport?.socket.noticeDeadPeer()
    }

    private var idleLimit: Duration {
        guard let told = exchange.keepAlive?.timeout else { return shard.configuration.maximumIdleTime }
        // A second less than the server says, so that its close and our request do not cross.
        return min(shard.configuration.maximumIdleTime, .seconds(max(0, told - 1)))
    }
}

// Out: encode, seal, send
extension Connection {
    private func begin(_ task: SessionTask) throws(InvalidRequest) {
        if let prepared = task.prepared.take(), exchangeCount == 0 {
            exchange = prepared.exchange
            outgoing = prepared.outgoing
        } else {
            try outgoing.begin(
                task.originalRequest, on: &exchange, defaults: shard.configuration.httpAdditionalHeaders)
        }
    }

    private var isSending: Bool { !outgoing.isSent || transport?.hasUnsent == true }

    /// Sends until everything is out or the kernel takes no more.
    private func flush() {
        let before = transport?.sentCount
        let result = Result { () throws(TransportError) in
            try outgoing.send(over: &transport)
            // What the kernel did not take before, with nothing new to go with it.
            try transport?.flush()
        }
        if transport?.sentCount != before, !isRequestSent {
            lastActivity = loop.now
            if case .active(let task) = state { task.run.wasSent = true }
            isRequestSent = !isSending
        }
        switch result {
        case .success: updateInterest()
        case .failure(let error): sendingFailed(error)
        }
    }

    /// A server that refuses a large request may answer and close before it has read everything: the answer comes first,
    /// the error only if there is none.
    private func sendingFailed(_ error: TransportError) {
        switch error {
        case .system(let error):
            if case .resting = state { return retire() }
            sendingError = error
            outgoing.drop()
            updateInterest()
        case .tls(let error): end(.insecure(error))
        }
    }

    private func updateInterest() {
        if case .closed = state { return }
        // A peer that asks and asks and takes no answer is not listened to.
        var interest: Interest = isPaused || transport?.owesTooMuch == true ? [] : .readable
        if sendingError == nil, isSending { interest.insert(.writable) }
        do throws(SystemError) {
            try loop.setInterest(interest, for: token)
        } catch {
            end(.system(error))
        }
    }
}

// In: receive, open, decode, deliver
extension Connection {
    /// Receives into the first buffer, and over TLS opens into the second; as much as one turn allows, epoll or a visit brings
    /// us back to the rest. If the peer has closed, even a read that has emptied the kernel's buffer is not the last.
    private func receive(
        into buffer: UnsafeMutableRawBufferPointer, _ plaintext: UnsafeMutableRawBufferPointer, toTheEnd: Bool = false
    ) {
        var allowance = TurnAllowance(among: loop.readyCount)
        if held.isEmpty {
            while let isFilled = unsafe receiveOnce(into: buffer, plaintext, &allowance), isFilled || toTheEnd,
                mayReceive(allowance)
            {}
        } else {
            unsafe takeInHeld(plaintext, &allowance)
        }
        unsafe lookBehindResponse(buffer, plaintext)
        finishIfComplete()
        receivedIn = loop.turn
        askForVisit()
    }

    private func mayReceive(_ allowance: TurnAllowance) -> Bool {
        !allowance.isSpent && !isPaused && held.isEmpty && transport?.owesTooMuch == false
    }

    /// Whoever waits for the connection gets it at once, so what came while the response was told is looked at first.
    private func lookBehindResponse(
        _ buffer: UnsafeMutableRawBufferPointer, _ plaintext: UnsafeMutableRawBufferPointer
    ) {
        guard case .finishing = state, !hasStrayBytes, pool.isAwaited, transport?.socket.hasInput == true else {
            return
        }
        var allowance = TurnAllowance(among: loop.readyCount)
        _ = unsafe receiveOnce(into: buffer, plaintext, &allowance)
        // No server has so much to say between two exchanges.
        if transport?.socket.hasInput == true { hasStrayBytes = true }
    }

    private func askForVisit() {
        if !held.isEmpty, !isPaused { loop.visitLater(token) }
    }

    private func takeInHeld(_ plaintext: UnsafeMutableRawBufferPointer, _ allowance: inout TurnAllowance) {
        var rest = HeldInput()
        swap(&rest, &held)
        let decoded = unsafe rest.plaintext.withUnsafeBytes { bytes in unsafe decode(bytes, &allowance) }
        rest.plaintext = rest.plaintext.dropFirst(decoded)
        if rest.plaintext.isEmpty {
            let opened = unsafe rest.ciphertext.withUnsafeBytes { bytes in
                unsafe bytes.isEmpty ? 0 : open(bytes, into: plaintext, &allowance)
            }
            rest.ciphertext = rest.ciphertext.dropFirst(opened)
            rest.plaintext = held.plaintext
        }
        if case .active = state { held = rest }
    }

    /// Takes in what a resting connection has received. The reactor's buffers are not ours then: whoever wants to use this
    /// connection may be a delegate, called in the midst of what another connection reads from them.
    private func receiveResting() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.restingBufferSize, alignment: 16) { buffer in
            let (first, second) = unsafe (buffer[..<Self.restingBufferSize], buffer[Self.restingBufferSize...])
            unsafe receive(into: .init(rebasing: first), .init(rebasing: second))
        }
        // No server has so much to say between two exchanges.
        if case .resting = state, transport?.socket.hasInput == true { retire() }
    }

    /// Returns whether there may be more to receive now; nil if nothing more will come.
    private func receiveOnce(
        into buffer: UnsafeMutableRawBufferPointer, _ plaintext: UnsafeMutableRawBufferPointer,
        _ allowance: inout TurnAllowance
    ) -> Bool? {
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(1, allowance.left)))
        let result: IOResult
        do throws(SystemError) {
            guard let received = try unsafe transport?.socket.receive(into: buffer) else { return nil }
            result = received
        } catch {
            connectionLost(sendingError ?? error)
            return nil
        }
        switch result {
        case .wouldBlock: return nil
        case .endOfStream:
            // Over TLS only close_notify is an end; without it the body may be cut short by anybody (RFC 8446 §6.1).
            peerClosed(orderly: transport?.isSecure == false)
            return nil
        case .bytes(let count):
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            let taken: Int
            if transport?.isSecure == true {
                taken = unsafe open(bytes, into: plaintext, &allowance)
                if taken < count, case .active = state { held.ciphertext = unsafe Array(bytes[taken...])[...] }
            } else {
                lastActivity = loop.now
                taken = unsafe decode(bytes, &allowance)
                if taken < count, case .active = state { held.plaintext = unsafe Array(bytes[taken...])[...] }
            }
            allowance.spend(count)
            // A short read has emptied the kernel's buffer; asking again would only be told so.
            return count == buffer.count
        }
    }

    /// Opens and decodes. Returns how far it went: to the end but where the turn is over or the task paused. Of plaintext it
    /// holds what was not decoded.
    private func open(
        _ ciphertext: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer,
        _ allowance: inout TurnAllowance
    ) -> Int {
        var offset = 0
        do throws(TLSError) {
            opening: while let result = try unsafe transport?.open(ciphertext, from: &offset, into: plaintext) {
                switch result {
                case .bytes(let count):
                    // Progress is what the application gets: a peer that only changes keys is silent.
                    lastActivity = loop.now
                    allowance.spend(TurnAllowance.record)
                    let opened = unsafe UnsafeRawBufferPointer(rebasing: plaintext[..<count])
                    let decoded = unsafe decode(opened, &allowance)
                    if decoded < count {
                        held.plaintext = unsafe Array(opened[decoded...])[...]
                        break opening
                    }
                    // Most of what comes is one record, and OpenSSL need not be asked to find nothing behind it.
                    if offset == ciphertext.count, transport?.hasPending == false { break opening }
                case .message: allowance.spend(TurnAllowance.message)
                case .endOfStream:
                    peerClosed(orderly: true)
                    return ciphertext.count
                case .needMoreBytes: break opening
                }
                // What OpenSSL holds is opened to the end: it is one record at most.
                if offset < ciphertext.count, mustStop(allowance) { break }
            }
        } catch {
            // A response that is complete stays so, whatever follows it.
            if case .finishing = state { strayBytes() } else { end(.insecure(error)) }
            return ciphertext.count
        }
        // A key update asks for an answer.
        if transport?.hasUnsent == true { flush() }
        return offset
    }

    /// Whether what has been received of a response waits for the next turn, or the end of a pause. What belongs to none is
    /// looked at to the end, because it decides what becomes of the connection.
    private func mustStop(_ allowance: TurnAllowance) -> Bool {
        guard case .active = state else { return false }
        return isPaused || allowance.isSpent
    }

    /// Decodes and delivers. Returns how far it went: to the end but where the turn is over or the task paused.
    private func decode(_ bytes: UnsafeRawBufferPointer, _ allowance: inout TurnAllowance) -> Int {
        // The buffer is lent to us, and stays put until this call returns.
        let span = unsafe bytes.assumingMemoryBound(to: UInt8.self).span
        var offset = 0
        while true {
            guard case .active(let task) = state else {
                if offset < span.count { strayBytes() }
                return span.count
            }
            // The end of a response may be told with no byte left to tell it by.
            if offset < span.count, mustStop(allowance) { return offset }
            do throws(HTTP1Error) {
                let event = try exchange.receive(span, from: &offset)
                if case .needMoreBytes = event { return span.count }
                allowance.spend(TurnAllowance.event)
                deliver(event, of: span, to: task)
            } catch {
                fail(task, .malformedResponse(error))
                return span.count
            }
        }
    }

    private func deliver(_ event: ResponseEvent, of bytes: Span<UInt8>, to task: SessionTask) {
        switch event {
        case .needMoreBytes: break
        case .informational(let head):
            task.delegate.task(
                task, didReceiveInformational: HTTPURLResponse(url: task.originalRequest.url, head: head))
        case .head(let head):
            task.run.hasResponse = true
            task.run.metrics?.responseStart = loop.now
            task.delegate.task(task, didReceive: HTTPURLResponse(url: task.originalRequest.url, head: head))
        case .body(let range): task.delegate.task(task, didReceive: bytes.extracting(range))
        case .end(let trailers, let discarded):
            if !trailers.isEmpty { task.delegate.task(task, didReceiveTrailers: trailers) }
            if !discarded.isEmpty { task.delegate.task(task, didDiscardTrailers: discarded) }
            if case .active = state { state = .finishing(task) }
        case .handedOver: fail(task, .unexpectedUpgrade)
        }
    }

    /// Bytes that belong to no exchange. Nothing good follows them (response desynchronisation).
    private func strayBytes() {
        hasStrayBytes = true
        switch state {
        case .resting: retire()
        case .active, .finishing, .closed: break
        }
    }

    private func finishIfComplete() {
        guard case .finishing(let task) = state else { return }
        if isPaused {
            // The task ends, and its pause with it: an idle connection has to be watched.
            isPaused = false
            updateInterest()
            guard case .finishing = state else { return }
        }
        task.run.place = .nowhere
        if exchange.isReusable, !hasStrayBytes, !isSending, sendingError == nil {
            state = .resting
            pool.release(self)
        } else {
            close()
            pool.connectionLost(self)
        }
        task.complete(nil)
    }

    private func peerClosed(orderly: Bool) {
        switch state {
        case .resting: retire()
        case .active(let task):
            guard orderly else { return connectionLost(sendingError) }
            do throws(HTTP1Error) {
                let event = try exchange.receiveEndOfStream()
                deliver(event, of: Span(), to: task)
                finishIfComplete()
            } catch {
                connectionLost(sendingError)
            }
        case .finishing:
            hasStrayBytes = true
        case .closed: break
        }
    }
}

// The end
extension Connection {
    private func setDeadline(for task: SessionTask) {
        var deadline = task.totalDeadline
        if let idle = task.timeouts.idle {
            let idleDeadline = lastActivity.advanced(by: idle)
            deadline = min(deadline ?? idleDeadline, idleDeadline)
        }
        loop.setDeadline(deadline, for: token)
    }

    private func deadlinePassed() {
        switch state {
        case .resting: retire()
        case .active(let task), .finishing(let task):
            if let total = task.totalDeadline, total <= loop.now { return fail(task, .timedOut(.total)) }
            if let idle = task.timeouts.idle, !isPaused, lastActivity.advanced(by: idle) <= loop.now {
                return fail(task, .timedOut(.idle))
            }
            if isPaused { lastActivity = loop.now }
            setDeadline(for: task)
        case .closed: break
        }
    }

    private func connectionLost(_ systemError: SystemError?) {
        switch state {
        case .active(let task): retryOrFail(task, systemError)
        case .finishing: hasStrayBytes = true
        case .resting: retire()
        case .closed: break
        }
    }

    /// A kept-alive connection that dies before the first byte of a response was most likely closed by the server before
    /// our request arrived (RFC 9112 §9.3.1). An idempotent request is then sent once more, on a connection of its own; any
    /// request of which not one byte had left, too.
    private func retryOrFail(_ task: SessionTask, _ systemError: SystemError?) {
        let isLateClose = exchangeCount > 1 && !exchange.hasReceivedAnything
        guard isLateClose, task.isIdempotent || !task.run.wasSent, !task.run.isRetried else {
            return fail(task, .connectionLost(systemError))
        }
        task.run.isRetried = true
        task.run.place = .nowhere
        task.run.metrics?.retryCount += 1
        abandon()
        pool.connectionLost(self)
        // Not `pool.start`: the pool may just have been discarded with its last connection.
        shard.start(task)
    }

    private func fail(_ task: SessionTask, _ reason: EngineError.Reason) {
        let error = error(reason, for: task)
        task.run.place = .nowhere
        // What is left of the body may fill the kernel's buffers, with nobody at the other end to read it.
        if task.originalRequest.httpBody != nil { transport?.socket.resetOnClose() }
        close()
        pool.connectionLost(self)
        task.complete(error)
    }

    private func error(_ reason: EngineError.Reason, for task: SessionTask) -> EngineError {
        task.error(reason, phase: task.run.hasResponse ? .body : .head)
    }

    /// Leaves the loop and closes the socket without a word.
    private func abandon() {
        if case .closed = state { return }
        state = .closed
        loop.deregister(token)
        transport = nil
        outgoing.drop()
        held = HeldInput()
    }
}
