// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock

/// The content of another source in a coding, encoded as it is pulled. Before it waits for that source, it flushes what it
/// has: bytes that are slow to come do not wait for those behind them.
final class EncodedSource: BodySource {
    /// How much is encoded in one tick.
    private static let inputAtOnce = 32 * 1024

    private enum Stage {
        /// Without input. Exits: encoding, flushing, ending, failed.
        case asking
        /// Within the input. Exit: asking.
        case encoding
        /// The other source has nothing at present. Exit: asking.
        case flushing
        /// Behind the last byte of input. Exit: over.
        case ending(HeaderFields)
        /// All is encoded.
        case over(HeaderFields)
        case failed(any Error)
    }

    private enum Step {
        case answer(BodyPiece)
        /// It is encoded further in a later tick.
        case pause
        case ask
    }

    private struct State: ~Copyable {
        private var encoder: ContentEncoder
        private var stage = Stage.asking
        private var input = Data()
        private var offset = 0
        /// Whether something was encoded and not flushed.
        private var isHolding = false
        /// The number of bytes encoded in this tick.
        private var count = 0
        /// The other source has nothing, and has said nothing since.
        private var isWaiting = false
        /// Waits for this source.
        private var wake: (@Sendable () -> Void)?

        init(_ encoder: consuming ContentEncoder) { self.encoder = encoder }

        mutating func next(atMost room: Int, _ wake: @escaping @Sendable () -> Void) -> Step {
            while true {
                if count >= EncodedSource.inputAtOnce {
                    count = 0
                    return .pause
                }
                let flush: Deflater.Flush
                switch stage {
                case .asking:
                    if !isWaiting {
                        // It may say that it has more before it has answered.
                        isWaiting = true
                        return .ask
                    }
                    self.wake = wake
                    count = 0
                    return .answer(.later)
                case .encoding: flush = .none
                case .flushing: flush = .sync
                case .ending: flush = .finish
                case .over(let trailers): return .answer(.end(trailers: trailers))
                case .failed(let error): return .answer(.failed(error))
                }
                if let piece = encode(atMost: room, flush) { return .answer(piece) }
            }
        }

        /// Returns what there is to send; nil if that is nothing.
        private mutating func encode(atMost room: Int, _ flush: Deflater.Flush) -> BodyPiece? {
            let before = offset
            let end = min(input.count, offset + EncodedSource.inputAtOnce)
            do throws(ContentDecodingError) {
                let (bytes, isDone) = try encoder.encode(
                    input.prefix(end), from: &offset, atMost: max(1, room), flush)
                count += max(offset - before, bytes.count)
                if isDone, end == input.count { finish(flush) }
                return bytes.isEmpty ? nil : .bytes(Data(bytes))
            } catch {
                stage = .failed(error)
                return nil
            }
        }

        private mutating func finish(_ flush: Deflater.Flush) {
            isHolding = flush == .none
            (input, offset) = (Data(), 0)
            if case .ending(let trailers) = stage { stage = .over(trailers) } else { stage = .asking }
        }

        /// Takes the answer of the other source.
        mutating func take(_ piece: BodyPiece) {
            // An answer without bytes costs as well.
            count += 256
            switch piece {
            case .bytes(let data):
                isWaiting = false
                input = data
                if !data.isEmpty { stage = .encoding }
            case .later: if isHolding { stage = .flushing }
            case .end(let trailers): stage = .ending(trailers)
            case .failed(let error): stage = .failed(error)
            }
        }

        /// The other source has more. Returns what is to be told.
        mutating func continues() -> (@Sendable () -> Void)? {
            isWaiting = false
            return wake.take()
        }
    }

    private let source: any BodySource
    private let state: Lock<State>

    init(_ source: any BodySource, _ compression: ContentCompression) throws(ContentDecodingError) {
        self.source = source
        state = Lock(State(try ContentEncoder(compression)))
    }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        while true {
            switch state.withLock({ $0.next(atMost: count, wake) }) {
            case .answer(let piece): return piece
            case .pause:
                wake()
                return .later
            case .ask:
                let piece = source.next(atMost: min(count, Self.inputAtOnce)) { [weak self] in self?.wakeUp() }
                state.withLock { $0.take(piece) }
            }
        }
    }

    func finish() { source.finish() }

    /// The other source has more.
    private func wakeUp() {
        let wake = state.withLock { $0.continues() }
        wake?()
    }
}
