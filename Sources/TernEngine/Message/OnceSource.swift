// SPDX-License-Identifier: Apache-2.0
import TernLock

/// A source that is there once, however often its request is copied: one exchange may ask it, and it is let go of once.
final class OnceSource: Sendable {
    private enum State {
        /// It has not been asked for. Exits: begun, over.
        case untouched
        /// An exchange asks it, and will finish it. Exit: none.
        case begun
        /// It was let go of before anybody asked it. Exit: none.
        case over
    }

    private let source: any BodySource
    private let state = Lock(State.untouched)

    init(_ source: any BodySource) { self.source = source }

    // It has not been asked for, and will not be.
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

    /// It will not be asked for, if it has not been.
    func discard() {
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .over
            return true
        }
        if isFirst { source.finish() }
    }
}
