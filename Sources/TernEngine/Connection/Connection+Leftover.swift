// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

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

    var takesOver: Bool { false }

    func handedOver(_ handover: Handover, _ evidence: Evidence) {}

    func sent(_ count: Int64, of length: Int64?) {}

    func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {}
}
