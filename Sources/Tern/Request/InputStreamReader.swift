// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization
import TernEngine

/// An input stream and the queue that it is read on, where it may block.
///
/// Sendable because `stream` is used only on `queue`, which is serial; the creator of the reader has given the stream
/// up.
final class InputStreamReader: @unchecked Sendable {
    private let queue = DispatchQueue(label: "tern.inputstream")
    /// Until it has been closed.
    private var stream: InputStream?
    private let isClosing = Atomic<Bool>(false)

    init(_ stream: sending InputStream) { self.stream = stream }

    /// Reads at most `count` bytes, opening the stream if necessary, and passes them to `take` on the queue; not after
    /// it is to be closed.
    func read(atMost count: Int, _ take: @escaping @Sendable (BodyPiece) -> Void) {
        queue.async { [self] in
            guard !isClosing.load(ordering: .relaxed), let stream else { return }
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
        guard read > 0, read <= count else { return .failed(stream.streamError ?? CocoaError(.fileReadUnknown)) }
        return .bytes(bytes.prefix(read))
    }
}
