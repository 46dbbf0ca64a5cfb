// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// A second attempt of a hop, beside that of its task, which has no answer yet (a hedge): see ``RetryPolicy/hedging``. It
/// knows the hop as the first does, and has a route, a permit, times and an outcome of its own. The task takes the first
/// answer of both, and the attempt that has it: only as the answer does it have an outcome for the circuit breaker.
///
/// On the reactor's thread, hence `@unchecked Sendable`.
final class SecondAttempt: AttemptDriver, ExchangeDelegate, @unchecked Sendable {
    /// Until the attempt is over: the pool, the connection and the task may hold it.
    private var first: (any HedgedTask)?
    /// The number of bytes of content that were passed to the kernel.
    private(set) var countOfBytesSent: Int64 = 0

    /// The task's own attempt has ended so, and this one goes on.
    var heldFailure: AttemptFailure?

    init(beside first: some HedgedTask) { self.first = first }

    /// It is over, and calls its task no more.
    func end() { first = nil }

    override var task: (any AttemptOwner)? { first }

    override var isCancelled: Bool { first?.isCancelled ?? true }

    override var isRepeating: Bool { first?.hopAttempts.needsUnusedConnection ?? false }

    override var isWanted: Bool { first?.isWanted(self) ?? false }

    override func start(on connection: Connection, _ prepared: PreparedExchange?) -> Bool {
        guard let first else { return false }
        guard first.mayBeSent(self, at: connection.loop.now) else {
            // The pool is handing out the connection.
            Self.perform(on: connection.loop) { first.lost(self) }
            return false
        }
        record(self, on: connection, prepared)
        return true
    }

    override func attemptFailed(_ failure: AttemptFailure) { first?.lost(self) }

    // The exchange, until the head of its response

    func exchangeBegan(on carrier: any Carrier) {
        let connection = carrier.connectionMetrics
        attempt.began(on: carrier, connection)
        if let connection { first?.tell(.willSend(on: connection), by: attempt.number, at: carrier.now) }
    }

    var pace: Pace? { first?.pace }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { nil }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
        if case .informational(let head) = event, let first {
            first.tellInformational(head, by: attempt.number, at: first.now)
        }
        guard case .head(let head) = event, let first, let carrier = attempt.carrier else { return .all }
        attempt.answered(head, at: carrier.now)
        if first.hopAttempts.answersProxy(head, to: attempt.form, first.defaults.proxies), let shard = first.shard {
            abandonAttempt()
            first.beginAnother(self, on: shard)
        } else {
            first.received(head, by: self)
        }
        return .all
    }

    var takesOver: Bool { false }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {}

    func sent(_ count: Int64, of length: Int64?) { countOfBytesSent = count }

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {
        attempt.ended(reason, evidence)
        first?.lost(self)
    }
}

/// A task that has a second attempt, as that sees it.
protocol HedgedTask: AttemptOwner {
    /// Whether `second` is still to be sent.
    func isWanted(_ second: SecondAttempt) -> Bool

    /// Whether `second` is sent now: it is counted.
    func mayBeSent(_ second: SecondAttempt, at now: MonotonicInstant) -> Bool

    /// A proxy has requested a credential of `second`, and gets it with another attempt.
    func beginAnother(_ second: SecondAttempt, on shard: Shard<AttemptDriver>)

    /// `second` has a response.
    func received(_ head: ResponseHead, by second: SecondAttempt)

    /// `second` has no answer.
    func lost(_ second: SecondAttempt)
}
