// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The state of a connection, and the only place that decides whether it may be used again. A pure state machine.
struct ConnectionState: ~Copyable {
    enum Stage {
        /// Idle. Exits: active, closed.
        case resting
        /// Carries an exchange. Exits: finishing, closed.
        case active
        /// The response is complete; not all bytes received with it are processed. Exits: idle, closed.
        case finishing
        /// For good.
        case closed
    }

    private(set) var stage = Stage.resting
    /// The number of exchanges begun.
    private(set) var exchangeCount = 0
    /// Bytes that belong to no response have arrived, or the end of the stream after one.
    private(set) var isTainted = false
    /// Why no more can be sent. A server that refuses a large request may respond and close before it has read
    /// everything: the response comes first, the error counts only if there is none.
    private(set) var sendingError: SystemCallError?
    var isPaused = false
    /// The connection must not be reused, whatever its exchange allows.
    var isLastExchange = false

    /// An exchange begins.
    mutating func begin() {
        guard case .resting = stage else { return }
        stage = .active
        exchangeCount &+= 1
    }

    /// The response is complete.
    mutating func responseEnded() {
        if case .active = stage { stage = .finishing }
    }

    enum Consequence {
        case none
        /// Close the connection, which carries no exchange.
        case retire
        /// The exchange fails, unless the bytes received complete it.
        case breakOff
    }

    /// Bytes arrived that belong to no exchange. No later byte can be trusted (response desynchronisation).
    mutating func unexpectedBytes() -> Consequence {
        isTainted = true
        if case .resting = stage { return .retire }
        return .none
    }

    /// No more bytes will come: the stream ended, or broke.
    mutating func inputEnded() -> Consequence {
        switch stage {
        case .resting: return .retire
        case .active: return .breakOff
        case .finishing:
            isTainted = true
            return .none
        case .closed: return .none
        }
    }

    /// No more bytes can be sent.
    mutating func outputFailed(_ error: SystemCallError) -> Consequence {
        if case .resting = stage { return .retire }
        sendingError = error
        return .none
    }

    enum Ending {
        case reuse
        case close
    }

    /// All bytes received with the response have been processed. Nil if there is no response to finish.
    mutating func finish(isExchangeReusable: Bool, isSending: Bool) -> Ending? {
        guard case .finishing = stage else { return nil }
        isPaused = false
        guard isExchangeReusable, !isSending, !isTainted, !isLastExchange, sendingError == nil else {
            return .close
        }
        stage = .resting
        return .reuse
    }

    /// Closes finally. Returns the state until then.
    mutating func close() -> Stage {
        defer { stage = .closed }
        return stage
    }
}
