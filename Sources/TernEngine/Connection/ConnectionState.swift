// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The state of a connection, and the only place that decides whether it may carry another exchange: from what HTTP
/// allows (`Exchange.isReusable`), from what else has arrived or has not been sent, and from what trust and the owner
/// want. Whether the owner keeps a connection that may is its own decision. A pure state machine.
struct ConnectionState: ~Copyable {
    enum Stage {
        /// Carries no exchange. Exits: active, closed.
        case idle
        /// Carries an exchange. Exits: finishing, closed.
        case active
        /// The response is complete; not all bytes received with it are processed. Exits: idle, closed.
        case finishing
        /// For good.
        case closed
    }

    private(set) var stage = Stage.idle
    /// The number of exchanges begun.
    private(set) var exchangeCount = 0
    /// Bytes that belong to no response have arrived, or the end of the stream after one.
    private(set) var isTainted = false
    /// Why no more can be sent. A server that refuses a large request may respond and close before it has read
    /// everything: the response comes first, the error counts only if there is none.
    private(set) var sendingError: SystemCallError?
    var isPaused = false
    /// The delegate of a task accepted the server despite the policies, which counts for one request.
    let servesOneExchange: Bool
    /// The owner wants no further exchange on it.
    private var isRetiring = false

    init(servesOneExchange: Bool = false) { self.servesOneExchange = servesOneExchange }

    /// The current exchange is the last one.
    mutating func mustRetire() { isRetiring = true }

    /// An exchange begins.
    mutating func begin() {
        guard case .idle = stage else { return }
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
        if case .idle = stage { return .retire }
        return .none
    }

    /// No more bytes will come: the stream ended, or broke.
    mutating func inputEnded() -> Consequence {
        switch stage {
        case .idle: return .retire
        case .active: return .breakOff
        case .finishing:
            isTainted = true
            return .none
        case .closed: return .none
        }
    }

    /// No more bytes can be sent.
    mutating func outputFailed(_ error: SystemCallError) -> Consequence {
        if case .idle = stage { return .retire }
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
        guard isExchangeReusable, !isSending, !isTainted, !servesOneExchange, !isRetiring, sendingError == nil else {
            return .close
        }
        stage = .idle
        return .reuse
    }

    /// Moves to closed; returns the previous stage.
    mutating func close() -> Stage {
        defer { stage = .closed }
        return stage
    }
}
