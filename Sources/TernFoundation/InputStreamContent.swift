// SPDX-License-Identifier: Apache-2.0
import Dispatch
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// Reads an input stream for a request: at most one chunk ahead.
package final class InputStreamContent: BodySource {
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

    package init(_ stream: sending InputStream) { reader = InputStreamReader(stream) }

    package func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
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

    package func finish() {
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

/// An input stream and the queue that it is read on, where it may block.
///
/// Sendable because `stream` is used only on `queue`, which is serial; the creator of the reader has given the stream
/// up.
final class InputStreamReader: @unchecked Sendable {
    private let queue = DispatchQueue(label: "tern.inputstream")
    /// Nil when it has been closed, and for one that reads nothing.
    private var stream: InputStream?
    private let isClosing = Atomic<Bool>(false)

    init(_ stream: sending InputStream) {
        // Foundation makes one of a URL that names no file, and every question to it ends the process.
        let isOfNothing =
            type(of: stream) == InputStream.self
            && Mirror(reflecting: stream).children.contains { $0.label == "_streamStorage" && "\($0.value)" == "nil" }
        self.stream = isOfNothing ? nil : stream
    }

    /// Reads at most `count` bytes, opening the stream if necessary, and passes them to `take` on the queue; not after
    /// it is to be closed.
    func read(atMost count: Int, _ take: @escaping @Sendable (BodyPiece) -> Void) {
        queue.async { [self] in
            guard !isClosing.load(ordering: .relaxed) else { return }
            guard let stream else { return take(.failed(CocoaError(.fileReadUnsupportedScheme))) }
            if stream.streamStatus == .notOpen { stream.open() }
            take(Self.piece(of: stream, atMost: count))
        }
    }

    /// Closes and releases the stream, after the read in progress.
    func close() {
        isClosing.store(true, ordering: .relaxed)
        queue.async { [self] in stream.take()?.close() }
    }

    private static func piece(of stream: InputStream, atMost count: Int) -> BodyPiece {
        var bytes = Data(count: count)
        // The stream borrows the buffer with its true size, for the duration of the call.
        let read = unsafe bytes.withUnsafeMutableBytes { room in
            guard let start = unsafe room.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return unsafe stream.read(start, maxLength: room.count)
        }
        if read == 0 { return .end() }
        // A stream of the user's may report more bytes than there was room for.
        guard read > 0, read <= count else { return .failed(failure(of: stream)) }
        return .bytes(bytes.prefix(read))
    }

    /// Foundation's `streamError` ends the process in every other state: of a stream that was closed before, or of a
    /// class that has no error.
    private static func failure(of stream: InputStream) -> any Error {
        (stream.streamStatus == .error ? stream.streamError : nil) ?? CocoaError(.fileReadUnknown)
    }
}

extension RequestBody {
    /// The bytes of `stream`, sent once: `request.body = .inputStream(stream)`. A `length`, in bytes, is announced
    /// and must be exact, as must a `Content-Length` of the request; without either it is sent in chunks.
    ///
    /// The stream is opened when the server is ready for its first byte. A queue of its own reads it, where it may
    /// block, at most 64 KB at a time and one chunk ahead of the connection. It is closed when the request is over,
    /// even if it was never read, or was open before. A blocked read keeps its thread, and the stream, until it
    /// returns, even if the request ends before.
    ///
    /// A stream that cannot be opened or read fails the request with ``TernEngine/RequestBodyError/failed(_:)`` and
    /// its `streamError`, which is read while its `streamStatus` is `.error`, or `CocoaError.fileReadUnknown`.
    public static func inputStream(_ stream: sending InputStream, length: Int? = nil) -> RequestBody {
        .once(InputStreamContent(stream), length: length)
    }
}

extension BodyAnswer {
    /// This stream; nil for none.
    package static func stream(_ stream: InputStream?) -> BodyAnswer {
        guard let stream else { return .unavailable }
        // The program hands the stream over.
        nonisolated(unsafe) let received = stream
        return unsafe .content(.inputStream(received))
    }
}
