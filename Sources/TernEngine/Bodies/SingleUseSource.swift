// SPDX-License-Identifier: Apache-2.0
import TernLock

/// A source that can be read once, however often its request is copied: one exchange may read it, and it is finished
/// once.
final class SingleUseSource: Sendable {
    private enum State {
        /// It has not been requested. Exits: begun, over.
        case untouched
        /// An exchange reads it, and will finish it. Exit: none.
        case begun
        /// It was discarded before any exchange read it. Exit: none.
        case over
    }

    private let source: any BodySource
    private let state = Lock(State.untouched)

    init(_ source: any BodySource) { self.source = source }

    // It has not been requested, and will not be.
    deinit { discard() }

    /// Whether no exchange has requested it, and it has not been discarded: it can be sent.
    var isUntouched: Bool { state.withLock { if case .untouched = $0 { true } else { false } } }

    /// Returns the source for the one exchange that may read it, and must finish it; nil for every other.
    func begin() -> (any BodySource)? {
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .begun
            return true
        }
        return isFirst ? source : nil
    }

    /// Discards the source, if no exchange has requested it.
    func discard() {
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .over
            return true
        }
        if isFirst { source.finish() }
    }
}
