// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock

@testable import TernEngine

/// A source that answers as a test says, and keeps account of how it was asked.
final class ProbingSource: BodySource {
    typealias Answer = @Sendable (_ ask: Int, _ wake: @escaping @Sendable () -> Void) -> BodyPiece

    struct Record: Equatable {
        /// How often it was asked for a chunk.
        var asks = 0
        var finishes = 0
        /// It was asked by two at a time, or after its end.
        var isMisused = false
    }

    private struct State {
        var record = Record()
        var isBeingAsked = false
    }

    private let state = Lock(State())
    private let answer: Answer
    private let onFinish: @Sendable () -> Void

    /// Asks are counted from 0.
    init(onFinish: @escaping @Sendable () -> Void = {}, answer: @escaping Answer) {
        self.answer = answer
        self.onFinish = onFinish
    }

    /// Returns these chunks, and then `end`, forever.
    convenience init(_ pieces: [Data], then end: BodyPiece = .end()) {
        self.init { ask, _ in ask < pieces.count ? .bytes(pieces[ask]) : end }
    }

    var record: Record { state.withLock { $0.record } }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let ask = state.withLock { state in
            if state.isBeingAsked || state.record.finishes > 0 { state.record.isMisused = true }
            state.isBeingAsked = true
            state.record.asks += 1
            return state.record.asks - 1
        }
        let piece = answer(ask, wake)
        state.withLock { $0.isBeingAsked = false }
        return piece
    }

    func finish() {
        state.withLock { $0.record.finishes += 1 }
        onFinish()
    }
}

/// Why a source of a test fails.
struct SourceFailure: Error, Equatable {}
