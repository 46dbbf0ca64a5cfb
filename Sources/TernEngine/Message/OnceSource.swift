// SPDX-License-Identifier: Apache-2.0
import TernLock

/// A source that is there once, however often its request is copied: one exchange may ask it, and it is let go of once.
final class OnceSource: Sendable {
    private enum State {
        /// Nobody has asked it. Exits: begun, over.
        case untouched
        /// An exchange asks it, and will finish it. Exit: none.
        case begun
        /// It was let go of before anybody asked it. Exit: none.
        case over
    }

    private let source: any BodySource
    private let state = Lock(State.untouched)

    init(_ source: any BodySource) { self.source = source }

    // Nobody has asked it, and nobody will.
    deinit { discard() }

    /// The source for the one exchange that may ask it, and has to finish it; nil for every other.
    func begin() -> (any BodySource)? {
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .begun
            return true
        }
        return isFirst ? source : nil
    }

    /// Nobody is going to ask for it, if nobody has.
    func discard() {
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .over
            return true
        }
        if isFirst { source.finish() }
    }
}
