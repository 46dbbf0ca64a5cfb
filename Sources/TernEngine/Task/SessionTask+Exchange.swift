// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernIO
import TernLock

// On the reactor's thread: the task performs the actions of its machine, and reports events to it.
extension SessionTask {
    private func start() {
        // A cancellation from another thread may have come before the start that it cancels.
        if isCancelled || !machine.start() { return }
        let (shard, start) = lifecycle.withLock { ($0.isRunning ? $0.shard : nil, $0.start) }
        guard let shard, let start else { return }
        if isListed { table?.add(self) }
        measured = TaskMetrics(originalRequest, start: start)
        deadlines.start = start
        begin(on: shard)
    }

    /// Performs the machine's action.
    func follow(_ next: TaskMachine.Next) {
        switch next {
        case .wait: updatePause()
        case .send: withShard { send(on: $0) }
        case .lookUp(let lookup, let number): withShard { look(up: lookup, number, on: $0) }
        case .delay(let delay):
            withShard { shard in
                wait(on: shard, for: delay)
            }
        case .answer(let source): withShard { source.start(self, on: $0.loop, deadlines) }
        case .deliver(let question, let isComplete): deliver(question, isComplete)
        case .askContent: askForContent()
        case .complete: end(nil)
        case .fail(let reason, let isSafeToRepeat):
            if let carrier { return carrier.end(reason) }
            end(error(reason, phase: measured?.responseStart == nil ? .head : .body, isSafeToRepeat: isSafeToRepeat))
        }
    }

    private func withShard(_ body: (Shard<SessionTask>) -> Void) {
        guard let shard = lifecycle.withLock({ $0.shard }) else { return }
        if shard.isClosed { return endLater(.sessionInvalidated, phase: .request, on: shard.loop) }
        body(shard)
    }

    /// Finds a connection for the hop.
    private func send(on shard: Shard<SessionTask>) {
        do throws(InvalidRequest) {
            let route = try defaults.routes.route(for: machine.history.hop.request)
            if machine.history.hop.number > 0 {
                measured?.beginHop(
                    machine.history.hop, redirectCount: machine.history.chain.count, shard.loop.now)
            }
            shard.find(route, for: self)
        } catch {
            endLater(.request(.invalid(error)), phase: .request, on: shard.loop)
        }
    }

    /// Waits without a connection: for a delay, or for a lookup.
    private func wait(on shard: Shard<SessionTask>, for delay: Duration? = nil) {
        timer = TaskTimer(on: shard, delay: delay, total: deadlines.total) { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .over: follow(machine.delayEnded())
            case .failed(let reason): end(error(reason, phase: .request))
            }
        }
    }

    private func look(up lookup: HopLookup, _ number: UInt64, on shard: Shard<SessionTask>) {
        let cancellation = lookup { preparation in
            shard.perform { _ in
                self.timer.take()?.cancel()
                self.follow(self.machine.lookedUp(number, preparation))
            }
        }
        // A result that was at hand has come within the call.
        guard machine.awaits(lookup: number) else { return cancellation() }
        wait(on: shard)
        timer?.whenOver(cancellation)
    }

    func cancelExchange() {
        if let carrier { return carrier.end(.cancelled) }
        if wait.since == nil { return end(error(.cancelled, phase: .request)) }
        if let shard = lifecycle.withLock({ $0.shard }), let route = wait.route { shard.abandon(route, self) }
        end(error(.cancelled, phase: .pool))
    }

    /// Ends, and leaves the rest of the response to the connection.
    private func abandonBodyNow() {
        guard machine.isDelivering, let carrier else { return cancelNow() }
        settle(carrier.leaveRest())
        end(error(.cancelled, phase: .body))
    }

    /// The exchange is over: the connection no longer belongs to this task.
    private func settle(_ evidence: Evidence) {
        carrier = nil
        measured?.settle(evidence)
    }

    /// Also if the connection is gone.
    var loop: ReactorLoop? { carrier?.loop ?? lifecycle.withLock { $0.shard }?.loop }
}

extension SessionTask: TableMember {}

extension SessionTask: ConnectionRequester {
    var hop: Hop { machine.hop }

    var isRepeating: Bool { machine.history.repeatCount > 0 }

    func begin(on connection: Connection, _ prepared: PreparedExchange?) {
        connection.start(self, machine.history.hop, deadlines, prepared: prepared)
    }

    func connectionFailed(_ failure: DialFailure) {
        switch failure.reason {
        case .request(.invalid), .connecting(.queueFull):
            // The task may have been started from the end of another, which is still on the stack.
            endLater(failure.reason, phase: failure.phase, on: lifecycle.withLock { $0.shard }?.loop)
        default:
            if case .connecting(let reason) = failure.reason, let next = machine.unconnected(reason) {
                return move(next)
            }
            end(error(failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress))
        }
    }

    func perform(_ command: TaskCommand) {
        switch command {
        case .start: start()
        case .cancel: cancelNow()
        case .abandonBody: abandonBodyNow()
        }
    }

    func returned(_ command: TaskCommand) {
        switch command {
        case .start: endWithoutLoop()
        case .cancel, .abandonBody: endLater(.cancelled, phase: .request, on: nil)
        }
    }
}

extension SessionTask: ExchangeDelegate {
    func exchangeBegan(on carrier: any Carrier) {
        self.carrier = carrier
        contentCounts.sent.store(0, ordering: .relaxed)
        measured?.begin(on: carrier, repeatCount: Int(machine.history.repeatCount))
        if isSuspended { carrier.isPaused = true }
        if let connection = carrier.connectionMetrics { delegate.handle(.willSend(on: connection), of: self) }
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        guard machine.isDelivering, decoding == nil else { return nil }
        return unsafe receiver?.room(for: count)
    }

    /// The delegate, if it provides buffers for content: looked up once for each large body, because looking up the
    /// protocol costs as much as a small read.
    private var receiver: (any ContentReceiver)? {
        if let knownReceiver { return knownReceiver }
        let receiver = delegate as? any ContentReceiver
        knownReceiver = .some(receiver)
        return receiver
    }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        switch event {
        case .body(let range):
            let taken = content(bytes.extracting(range), &allowance)
            contentCounts.received.add(Int64(taken.count(of: range.count)), ordering: .relaxed)
            return taken
        case .head(let head): received(head)
        case .informational(let head): delegate.handle(.informational(machine.history.response(head)), of: self)
        case .end(let trailers, let discarded):
            if let question = machine.question { question.trailers = (trailers, discarded) }
            if machine.isDelivering, finishDecoding() { tell(trailers, discarded) }
        case .needMoreBytes, .handedOver: break
        }
        return .all
    }

    private func content(_ bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        switch machine.content(bytes.count) {
        case .deliver:
            if let decoding {
                let taken = decode(bytes, by: decoding, &allowance)
                machine.tee?.received(bytes.extracting(first: taken.count(of: bytes.count)))
                return taken
            }
            machine.tee?.received(bytes)
            if !bytes.isEmpty { delegate.task(self, didReceive: bytes) }
        case .drop: break
        case .hold: return .some(0)
        case .leave:
            if let carrier { settle(carrier.leave()) }
            follow(machine.leftBehind())
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
                if !piece.isEmpty { delegate.task(self, didReceive: piece) }
                return !allowance.isSpent && carrier?.isPaused == false
            }
            return taken == bytes.count && !decoding.hasMore ? .all : .some(taken)
        } catch {
            carrier?.end(.transfer(.undecodable(error)))
            return .all
        }
    }

    /// The coded content is complete. False, and the task ends, if its coding is incomplete.
    private func finishDecoding() -> Bool {
        do throws(ContentDecodingError) {
            try decoding?.finish()
            return true
        } catch {
            carrier?.end(.transfer(.undecodable(error)))
            return false
        }
    }

    private func received(_ head: ResponseHead) {
        guard let carrier else { return }
        measured?.received(head, carrier.loop.now)
        // Before the machine, which may move to the next hop.
        let response = machine.history.response(head)
        switch machine.head(head) {
        case .deliver: deliver(response)
        case .discard: delegate.handle(.discarded(response), of: self)
        case .ask(let request): ask(about: request, response)
        case .challenge(let proposal): askForCredentials(proposal, response)
        case .askContent:
            machine.question?.response = response
            askForContent()
        case .fail(let reason):
            delegate.handle(.discarded(response), of: self)
            carrier.end(reason)
        }
    }

    func tell(_ trailers: HeaderFields, _ discarded: HeaderFields) {
        if !trailers.isEmpty { delegate.handle(.trailers(trailers), of: self) }
        if !discarded.isEmpty { delegate.handle(.discardedTrailers(discarded), of: self) }
    }

    var takesOver: Bool { machine.isDelivering && delegate is any UpgradeDelegate }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {
        settle(evidence)
        takeOver(handover)
    }

    func sent(_ count: Int64, of length: Int64?) {
        let before = contentCounts.sent.exchange(count, ordering: .relaxed)
        delegate.handle(.sentBodyData(count &- before, total: count, expected: length ?? -1), of: self)
    }

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {
        settle(evidence)
        switch reason {
        case nil: follow(machine.ended())
        case .request(.invalid(let error)):
            connectionFailed(DialFailure(reason: .request(.invalid(error)), phase: .request))
        case let reason?: follow(machine.failed(reason, evidence))
        }
    }
}
