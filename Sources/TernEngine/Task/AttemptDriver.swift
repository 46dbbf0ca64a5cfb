// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernLock

// The attempts of a task, on the reactor's thread: the one door through which a hop reaches the network, and every way out
// of it. The task performs what its `Attempt` decides.
extension SessionTask {
    /// Makes an attempt of the hop: resolves its route, waits for the rate, and finds a connection.
    final func beginAttempt(on shard: Shard<SessionTask>) {
        noteHop()
        let hop = plannedHop
        do throws(RouteRule.Refusal) {
            // May call a closure of the user that chooses proxies.
            var route = try defaults.routes.route(for: hop.request)
            // It may have ended the task.
            guard isAttempting else { return }
            if hop.number > 0 { route = route.keeping(measured?.addresses ?? []) }
            let form = defaults.form(of: hop, signedBy: plannedLogin, along: route, isFirst: attempt.isUnanswered)
            beginsAttempt()
            attempt.begin(route, form)
        } catch {
            return failLater(AttemptFailure(reason: error.reason, phase: .request), on: shard.loop)
        }
        if let form = attempt.form { tellPrepared(form.hop.request) }
        if defaults.rates == nil { findConnection(on: shard) } else { awaitRate(on: shard) }
    }

    /// Waits until the rates of the session permit another request.
    private func awaitRate(on shard: Shard<SessionTask>) {
        guard let rates = defaults.rates?.requests, let origin = attempt.route?.server else {
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

    /// The one way out of the wait for the rate.
    final func endWaitForRate() {
        guard attempt.isWaiting, let since = attempt.wait.since.take(), let now = loop?.now, since < now else { return }
        waited(since: since, until: now)
    }

    /// A wait for the rate is over.
    private func rateAllows(_ number: UInt64) {
        guard attempt.number == number, attempt.isWaiting, let shard = lifecycle.withLock({ $0.shard }) else { return }
        endWait()
        endWaitForRate()
        findConnection(on: shard)
    }

    private func findConnection(on shard: Shard<SessionTask>) {
        if let route = attempt.admitted() { connect(along: route, on: shard) }
    }

    /// Ends the attempt, and what it holds is given back. The task ends with this reason, if nothing else does so.
    final func cancelAttempt(_ reason: SessionError.Reason) {
        switch attempt.holding {
        case .exchange(let carrier): carrier.end(reason)
        case .connectionRequest(let route):
            lifecycle.withLock { $0.shard }?.abandon(route, self)
            attempt.failed()
            end(error(reason, phase: .pool))
        case .place:
            endWaitForRate()
            attempt.failed()
            end(error(reason, phase: .request))
        case .nothing: end(error(reason, phase: .request))
        }
    }
}

extension SessionTask: ConnectionRequester {
    var hop: Hop { attempt.form?.hop ?? plannedHop }

    var isRepeating: Bool { attempt.needsUnusedConnection }

    var wait: Wait {
        get { attempt.wait }
        set { attempt.wait = newValue }
        _modify { yield &attempt.wait }
    }

    func begin(on connection: Connection, _ prepared: PreparedExchange?) -> Bool {
        if attempt.reservation != nil, !spend(at: connection.loop.now) { return false }
        connection.start(self, hop, deadlines, prepared: prepared)
        return true
    }

    /// Counts the request for the rate. False if the attempt has to wait for that.
    private func spend(at now: MonotonicInstant) -> Bool {
        if attempt.reservation?.spend(at: now) == true {
            attempt.spent()
            return true
        }
        attempt.postponed()
        if let shard = lifecycle.withLock({ $0.shard }) { waitForRate(on: shard) }
        return false
    }

    func connectionFailed(_ failure: DialFailure) {
        attempt.failed()
        let failure = AttemptFailure(
            reason: failure.reason, phase: failure.phase, remoteAddress: failure.remoteAddress)
        switch failure.kind {
        // The task may have been started from the end of another, which is still on the stack.
        case .local, .limited: failLater(failure, on: lifecycle.withLock { $0.shard }?.loop)
        default: attemptFailed(failure)
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
