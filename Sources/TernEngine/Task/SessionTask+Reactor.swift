// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernIO
import TernLock

// On the reactor's thread: the driver of the plan.
extension SessionTask {
    /// Begins the hop that is planned.
    func go(on shard: Shard<SessionTask>) {
        if shard.isClosed { return completeLater(.sessionInvalidated, phase: .request, on: shard.loop) }
        do throws(InvalidRequest) {
            let route = try route(on: shard)
            if plan.hop.number > 0 { tally?.beginHop(plan.hop, shard.loop.now) }
            shard.find(route, for: self)
        } catch {
            completeLater(.request(.invalid(error)), phase: .request, on: shard.loop)
        }
    }

    /// Which connections may carry the hop.
    private func route(on shard: Shard<SessionTask>) throws(InvalidRequest) -> Route {
        Route(
            to: try plan.hop.request.destination.get().origin,
            at: plan.hop.request.unixSocket ?? shard.shared.configuration.unixSocket)
    }

    private func start() {
        // A cancellation from another thread may have come before the start it cancels.
        if isCancelled || tally != nil { return }
        let (shard, start) = shared.withLock { ($0.shard, $0.stage == .started ? $0.start : nil) }
        guard let shard, let start else { return }
        if isListed { table?.add(self) }
        tally = TaskMetrics(originalRequest, start: start)
        deadlines.start = start
        begin(on: shard)
    }

    func cancelExchange() {
        if let connection { return connection.end(.cancelled) }
        if wait.since == nil { return complete(error(.cancelled, phase: .request)) }
        if let shard = shared.withLock({ $0.shard }), let route = try? route(on: shard) { shard.abandon(route, self) }
        complete(error(.cancelled, phase: .pool))
    }

    /// Ends, and leaves to its connection what is left of the response.
    private func letGoNow() {
        guard plan.isDelivering, let connection else { return cancelNow() }
        settle(connection.leaveRest())
        complete(error(.cancelled, phase: .body))
    }

    /// Does what the plan says.
    func follow(_ next: TaskPlan.Next) {
        switch next {
        case .wait: updatePause()
        case .go:
            if let shard = shared.withLock({ $0.shard }) { go(on: shard) }
        case .deliver(let isComplete): deliverUndecided(isComplete)
        case .askContent: askForContent()
        case .complete: complete(nil)
        case .fail(let reason, let isSafeToRepeat):
            if let connection { return connection.end(reason) }
            complete(error(reason, phase: tally?.responseStart == nil ? .head : .body, isSafeToRepeat: isSafeToRepeat))
        }
    }

    /// Tells what was held back.
    private func deliverUndecided(_ isComplete: Bool) {
        if let response = aside?.undecided.take() {
            if let successor = deliver(response) { return successor.deliverUndecided(isComplete) }
            // Who was told may have to be waited for.
            if plan.isAsking { return }
        }
        if let (trailers, discarded) = aside?.undecidedTrailers.take() { tell(trailers, discarded) }
        if isComplete { complete(nil) } else { updatePause() }
    }

    func tell(_ trailers: HTTPFields, _ discarded: HTTPFields) {
        if !trailers.isEmpty { delegate.task(self, didReceiveTrailers: trailers) }
        if !discarded.isEmpty { delegate.task(self, didDiscardTrailers: discarded) }
    }
}

extension SessionTask: TableMember {}

extension SessionTask: ConnectionSeeker {
    var hop: Hop { plan.hop }

    var isRepeating: Bool { plan.repeatCount > 0 }

    func keep(_ prepared: PreparedExchange) { self.prepared = prepared }

    func take(_ connection: Connection) {
        connection.start(self, plan.hop, deadlines, prepared: prepared.take())
    }

    func getsNone(_ failure: DialFailure) {
        _ = prepared.take()
        switch failure.reason {
        case .request(.invalid), .connecting(.queueFull):
            // Told while the task is started, perhaps from the end of another.
            completeLater(failure.reason, phase: failure.phase, on: shared.withLock { $0.shard }?.loop)
        default:
            complete(error(failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress))
        }
    }

    func open(_ letter: Letter) {
        switch letter {
        case .start: start()
        case .cancel: cancelNow()
        case .letGo: letGoNow()
        }
    }

    func returned(_ letter: Letter) {
        switch letter {
        case .start: endWithoutLoop()
        case .cancel, .letGo: completeLater(.cancelled, phase: .request, on: nil)
        }
    }
}

extension SessionTask: Carried {
    func carried(by connection: Connection) {
        self.connection = connection
        contentCounts.sent.store(0, ordering: .relaxed)
        tally?.change {
            // A new one has just been opened, in the midst of a turn.
            $0.connectionAcquired = connection.state.exchangeCount > 1 ? connection.loop.now : .now
            $0.connection = connection.metrics
            $0.isConnectionReused = connection.state.exchangeCount > 1
            $0.repeatCount = plan.repeatCount
        }
        if isSuspended { connection.isPaused = true }
        delegate.task(self, willSendOn: connection.metrics)
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        guard plan.isDelivering, aside?.isDecoding != true else { return nil }
        return unsafe receiver?.room(for: count)
    }

    /// The delegate, if it has room for content: asked of each large body once, because a look-up of its protocol costs as much as a
    /// small read.
    private var receiver: (any ContentReceiver)? {
        if let knownReceiver { return knownReceiver }
        let receiver = delegate as? any ContentReceiver
        knownReceiver = .some(receiver)
        return receiver
    }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TurnAllowance) -> ContentTaken {
        switch event {
        case .body(let range):
            let taken = content(bytes.extracting(range), &allowance)
            contentCounts.received.add(Int64(taken.count(of: range.count)), ordering: .relaxed)
            return taken
        case .head(let head): received(head)
        case .informational(let head): delegate.task(self, didReceiveInformational: response(head))
        case .end(let trailers, let discarded):
            if plan.isAsking { aside?.undecidedTrailers = (trailers, discarded) }
            if plan.isDelivering, finishDecoding() { tell(trailers, discarded) }
        case .needMoreBytes, .handedOver: break
        }
        return .all
    }

    private func content(_ octets: Span<UInt8>, _ allowance: inout TurnAllowance) -> ContentTaken {
        switch plan.content(octets.count) {
        case .deliver where aside?.isDecoding == true: return decode(octets, &allowance)
        case .deliver: if !octets.isEmpty { delegate.task(self, didReceive: octets) }
        case .drop: break
        case .hold: return .some(0)
        case .leave:
            if let connection { settle(connection.leave()) }
            follow(.go)
        }
        return .all
    }

    private func response(_ head: ResponseHead) -> HTTPURLResponse {
        HTTPURLResponse(url: plan.hop.request.url, head: head, history: aside?.history ?? [])
    }

    private func received(_ head: ResponseHead) {
        guard let connection else { return }
        tally?.change {
            $0.responseStart = connection.loop.now
            $0.statusCode = head.status
        }
        switch plan.head(head) {
        case .deliver: deliver(response(head))
        case .swallow: break
        case .ask(let request): ask(about: request, response(head))
        case .challenge: askForCredentials(response(head))
        case .fail(let reason): connection.end(reason)
        }
    }

    var takesOver: Bool { plan.isDelivering && delegate is any UpgradeDelegate }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {
        settle(evidence)
        takeOver(handover)
    }

    func sent(_ count: Int64, of length: Int64?) {
        let before = contentCounts.sent.exchange(count, ordering: .relaxed)
        delegate.task(
            self, didSendBodyData: count &- before, totalBytesSent: count, totalBytesExpectedToSend: length ?? -1)
    }

    func exchangeEnded(_ reason: EngineError.Reason?, _ evidence: Evidence) {
        settle(evidence)
        switch reason {
        case nil: follow(plan.ended())
        case .request(.invalid(let error)): getsNone(DialFailure(reason: .request(.invalid(error)), phase: .request))
        case let reason?: follow(plan.failed(reason, evidence))
        }
    }

    /// The exchange is over: the connection is not ours any more.
    private func settle(_ evidence: Evidence) {
        connection = nil
        tally?.change {
            // The clock of a turn may be behind that of a connection just opened.
            let acquired = $0.connectionAcquired
            $0.requestSent = evidence.requestSent.map { sent in acquired.map { max($0, sent) } ?? sent }
            $0.sentCount = evidence.sentCount
            $0.receivedCount = evidence.receivedCount
            $0.wasSent = $0.wasSent || evidence.isSent
        }
    }
}
