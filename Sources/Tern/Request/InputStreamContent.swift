// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// Reads an input stream for a request: at most one chunk ahead.
final class InputStreamContent: BodySource {
    /// The size of a read, whatever size is requested.
    static let pieceSize = 64 * 1024

    private enum State {
        /// It has not been requested. Exits: reading, over.
        case untouched
        /// A chunk is being read, and the connection that requested it is to be woken. Exits: ready, over.
        case reading(wake: (@Sendable () -> Void)?)
        /// A chunk waits to be taken; the last one stays. Exits: reading, over.
        case ready(BodyPiece)
        /// No more is wanted. Exit: none.
        case over
    }

    private let reader: InputStreamReader
    private let state = Lock(State.untouched)

    init(_ stream: sending InputStream) { reader = InputStreamReader(stream) }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let (piece, reads) = state.withLock { state -> (BodyPiece, Bool) in
            switch state {
            case .untouched:
                state = .reading(wake: wake)
                return (.later, true)
            case .reading:
                state = .reading(wake: wake)
                return (.later, false)
            case .ready(.bytes(let bytes)):
                state = .reading(wake: nil)
                return (.bytes(bytes), true)
            case .ready(let last): return (last, false)
            case .over: return (.end(), false)
            }
        }
        if reads { reader.read(atMost: min(max(count, 1), Self.pieceSize)) { self.offer($0) } }
        return piece
    }

    func finish() {
        // The chunk, or the error, is released outside the lock.
        let unused = state.withLock { state in
            let unused = state
            state = .over
            return unused
        }
        withExtendedLifetime(unused) {}
        reader.close()
    }

    private func offer(_ piece: BodyPiece) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard case .reading(let wake) = state else { return nil }
            state = .ready(piece)
            return wake
        }
        wake?()
    }
}
