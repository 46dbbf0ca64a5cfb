// SPDX-License-Identifier: Apache-2.0
import TernIO

/// What a connection is about, and the one answer to whether it may be used again. Decides, does nothing.
struct ConnectionState: ~Copyable {
    enum Stage {
        /// Waits for something to carry. Exits: active, closed.
        case resting
        /// Carries an exchange. Exits: finishing, closed.
        case active
        /// The response is complete, the octets received with it are not all looked at. Exits: resting, closed.
        case finishing
        /// For good.
        case closed
    }

    private(set) var stage = Stage.resting
    /// Exchanges that were begun.
    private(set) var exchangeCount = 0
    /// Octets that belong to no response have come, or the end of the stream behind one.
    private(set) var isTainted = false
    /// Why nothing more can be sent. A server that refuses a large request may answer and close before it has read
    /// everything: the answer comes first, the error only if there is none.
    private(set) var sendingError: SystemCallError?
    var isPaused = false
    /// It is not to be used again, whatever its exchange allows.
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
        /// Close the connection, which carries nothing.
        case retire
        /// The exchange, if it is not complete with what has come, breaks off.
        case breakOff
    }

    /// Octets came that belong to no exchange. Nothing good follows them (response desynchronisation).
    mutating func strayOctets() -> Consequence {
        isTainted = true
        if case .resting = stage { return .retire }
        return .none
    }

    /// Nothing more will come: the stream ended, or broke.
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

    /// Nothing more can be sent.
    mutating func outputFailed(_ error: SystemCallError) -> Consequence {
        if case .resting = stage { return .retire }
        sendingError = error
        return .none
    }

    enum Ending {
        case reuse
        case close
    }

    /// Everything received with the response has been looked at. Nil if there is no response to finish.
    mutating func finish(isExchangeReusable: Bool, isSending: Bool) -> Ending? {
        guard case .finishing = stage else { return nil }
        isPaused = false
        guard isExchangeReusable, !isSending, !isTainted, !isLastExchange, sendingError == nil else {
            return .close
        }
        stage = .resting
        return .reuse
    }

    /// For good. Tells what it was about until then.
    mutating func close() -> Stage {
        defer { stage = .closed }
        return stage
    }
}
