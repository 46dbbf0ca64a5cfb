// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

// What is left of a response that nobody reads on.
extension Connection {
    /// More than that is not received for the sake of a connection: opening another costs less.
    static let drainedAtMost = 64 * 1024
    /// And no longer than that: whoever waits for a connection may wait for this one.
    private static let drainedWithin = Duration.seconds(1)

    /// For whom it carries, which is told nothing more: the rest of the response is received and dropped if it is known
    /// to be short, and then the connection is free. Otherwise it is closed.
    func leaveRest() -> Evidence {
        guard case .active = state.stage, !isSending, exchange.contentLeft > 0,
            exchange.contentLeft <= Self.drainedAtMost
        else { return leave() }
        let evidence = evidence
        carry(Leftover.shared, Deadlines(limits: Timeouts(idle: nil, total: Self.drainedWithin), start: loop.now))
        isPaused = false
        setDeadline()
        return evidence
    }
}

/// Takes what comes, and does nothing with it.
private final class Leftover: ExchangeDelegate, Sendable {
    static let shared = Leftover()

    func exchangeBegan(on carrier: any Carrier) {}

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { nil }

    func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TurnAllowance) -> ContentTaken {
        .all
    }

    var takesOver: Bool { false }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {}

    func sent(_ count: Int64, of length: Int64?) {}

    func exchangeEnded(_ reason: EngineError.Reason?, _ evidence: Evidence) {}
}
