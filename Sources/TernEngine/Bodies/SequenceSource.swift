// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock

/// Pulls an asynchronous sequence for a request: a task of its own reads at most one chunk ahead.
final class SequenceSource<Pieces: AsyncSequence & Sendable>: BodySource where Pieces.Element == Data {
    private struct State {
        var reader: Task<Void, Never>?
        var piece: BodyPiece?
        /// The waiting request, when it needs a chunk.
        var wake: (@Sendable () -> Void)?
        /// The waiting reader, when its chunk is not yet taken.
        var taken: CheckedContinuation<Void, Never>?
        var isFinished = false
    }

    private let pieces: Pieces
    private let state = Lock(State())

    init(_ pieces: Pieces) { self.pieces = pieces }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let (piece, reader, starts) = state.withLock { state in
            guard let piece = state.piece else {
                state.wake = wake
                return (BodyPiece.later, nil as CheckedContinuation<Void, Never>?, state.reader == nil)
            }
            state.piece = nil
            return (piece, state.taken.take(), false)
        }
        reader?.resume()
        if starts { start() }
        return piece
    }

    func finish() {
        let (task, reader, piece) = state.withLock { state in
            state.isFinished = true
            return (state.reader, state.taken.take(), state.piece.take())
        }
        task?.cancel()
        reader?.resume()
        withExtendedLifetime(piece) {}
    }

    private func start() {
        let task = Task { await self.read() }
        let isFinished = state.withLock { state in
            state.reader = task
            return state.isFinished
        }
        if isFinished { task.cancel() }
    }

    private func read() async {
        do {
            for try await piece in pieces {
                await offer(.bytes(piece))
                if state.withLock({ $0.isFinished }) { return }
            }
            await offer(.end())
        } catch {
            await offer(.failed(error))
        }
    }

    /// Returns when the chunk has been taken.
    private func offer(_ piece: BodyPiece) async {
        await withCheckedContinuation { continuation in
            let (wake, isFinished) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
                if state.isFinished { return (nil, true) }
                state.piece = piece
                state.taken = continuation
                return (state.wake.take(), false)
            }
            if isFinished { continuation.resume() }
            wake?()
        }
    }
}
