// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// Pulls an input stream for a request: one piece is read ahead, and no more.
final class InputStreamContent: BodySource {
    /// Read at once, whatever is asked for.
    static let pieceSize = 64 * 1024

    private enum State {
        /// It has not been asked for. Exits: reading, over.
        case untouched
        /// A piece is being read, and the connection that asked for it is to be told. Exits: ready, over.
        case reading(wake: (@Sendable () -> Void)?)
        /// A piece waits to be taken; the last one goes on waiting. Exits: reading, over.
        case ready(BodyPiece)
        /// Nothing more is wanted. Exit: none.
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
        // What has been read, or why it could not be, is let go of after the lock.
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
