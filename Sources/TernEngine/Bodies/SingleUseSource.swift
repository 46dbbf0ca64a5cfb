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
    /// The one whose content this changes, which decides; nil for one of its own.
    private let original: SingleUseSource?
    private let change: @Sendable (any BodySource) -> any BodySource
    private let state = Lock(State.untouched)

    init(_ source: any BodySource) {
        (self.source, original, change) = (source, nil, \.self)
    }

    /// The same source, whose content is changed on its way.
    init(of original: SingleUseSource, _ change: @escaping @Sendable (any BodySource) -> any BodySource) {
        (source, self.original, self.change) = (original.source, original, change)
    }

    // It has not been requested, and will not be.
    deinit { if original == nil { discard() } }

    /// Whether no exchange has requested it, and it has not been discarded: it can be sent.
    var isUntouched: Bool {
        original?.isUntouched ?? state.withLock { if case .untouched = $0 { true } else { false } }
    }

    /// Returns the source for the one exchange that may read it, and must finish it; nil for every other.
    func begin() -> (any BodySource)? {
        if let original { return original.begin().map(change) }
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .begun
            return true
        }
        return isFirst ? source : nil
    }

    /// Discards the source, if no exchange has requested it.
    func discard() {
        if let original { return original.discard() }
        let isFirst = state.withLock { state in
            guard case .untouched = state else { return false }
            state = .over
            return true
        }
        if isFirst { source.finish() }
    }
}
