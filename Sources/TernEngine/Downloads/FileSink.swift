// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TernFiles
import TernIO
import TernLock

/// Takes a body to a file: it is received in pieces of memory, and a queue of its own writes them, for a disk may be
/// slow. When too many wait, the task does.
///
/// `room`, `append` and `finish` are for the thread that receives, and `file` and `failure` belong to the queue, which
/// is what `@unchecked Sendable` rests on.
final class FileSink: @unchecked Sendable {
    /// What has become of it.
    enum Outcome: Sendable {
        /// The file stands there.
        case complete(path: String)
        /// There is no file; nil if it was not the disk's fault.
        case failed(SessionError.DownloadFailure?, ResumeData?)
    }

    /// How it is to end.
    struct Ending: Sendable {
        /// All of the content has come.
        let isComplete: Bool
        /// How long the whole was to be.
        let expectedLength: Int64?
        /// What has come is kept if there can be no file, for the rest may come another time.
        let keepsFirstPart: Bool
        /// The same, where it was the disk that failed.
        let keepsFirstPartOnFullDisk: Bool
    }

    /// A write of this size costs little more than the bytes it moves, and what was received is still in the
    /// processor's cache.
    static let pieceSize = 256 * 1024
    /// Of memory in pieces; the last one is being filled while the others are written.
    static let piecesAtMost = 4
    /// Room that is worth a system call.
    private static let leastRoom = 64 * 1024
    /// What trickles in is written after so long.
    private static let patience = DispatchTimeInterval.milliseconds(100)

    private struct Waiting {
        var bytes = 0
        var isHolding = false
        var spare: [ReceiveMemory] = []
    }

    private let queue = DispatchQueue(label: "tern.download")
    private let file: DownloadFile
    private var failure: SessionError.DownloadFailure?
    private let waiting = Lock(Waiting())
    private let isAbandoned = Atomic<Bool>(false)
    private let length = Atomic<Int64>(0)
    private let whenFailed: @Sendable () -> Void
    private var piece: ReceiveMemory?

    /// Begins with making the file. `whenFailed` is called on the queue, once, if the disk fails: nothing more is
    /// written then.
    init(_ plan: DownloadFile.Plan, whenFailed: @escaping @Sendable () -> Void) {
        file = DownloadFile(plan)
        self.whenFailed = whenFailed
        queue.async { self.attempt { () throws(SessionError.DownloadFailure) in try self.file.open() } }
    }

    /// How long the file is by now, in bytes.
    var writtenLength: Int64 { length.load(ordering: .relaxed) }

    /// Where the next bytes may be received, of which `count` are to come; nil for anywhere.
    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        if let piece, unsafe piece.room.count >= min(count, Self.leastRoom) { return unsafe piece.room }
        // Full, so it has been handed over.
        let made = spare() ?? ReceiveMemory(capacity: min(count, Self.pieceSize))
        piece = piece ?? made
        return unsafe made.room.isEmpty || piece !== made ? nil : made.room
    }

    /// Takes in what has been received, there or elsewhere.
    func append(_ bytes: Span<UInt8>, for task: SessionTask) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = piece ?? spare() ?? ReceiveMemory(capacity: Self.pieceSize)
            self.piece = piece
            let taken = piece.append(rest)
            // Without memory there is nothing to be done but to say so.
            if taken == 0, piece.count == 0 { return outOfMemory() }
            rest = rest.extracting(droppingFirst: taken)
            if unsafe piece.room.count < Self.leastRoom { handOver(for: task) }
        }
    }

    private func outOfMemory() {
        queue.async {
            self.attempt { () throws(SessionError.DownloadFailure) in
                throw .file(.noMemory, path: "")
            }
        }
    }

    /// Whether something that has come is not written yet.
    var isBehind: Bool { waiting.withLock { $0.bytes } > 0 || piece.map { $0.count > 0 } ?? false }

    /// Has what there is written, be it little.
    func handOver(for task: SessionTask) {
        guard let piece, piece.count > 0 else { return }
        self.piece = nil
        let isTooMuch = waiting.withLock { waiting in
            waiting.bytes += piece.count
            if waiting.isHolding || waiting.bytes <= (Self.piecesAtMost - 2) * Self.pieceSize { return false }
            waiting.isHolding = true
            return true
        }
        if isTooMuch { task.hold() }
        queue.async {
            self.write(piece)
            if self.isDone(with: piece) { task.release() }
        }
    }

    private func write(_ piece: ReceiveMemory) {
        attempt { () throws(SessionError.DownloadFailure) in
            guard let bytes = unsafe piece.filled(0..<piece.count) else { return }
            try unsafe self.file.write(UnsafeRawBufferPointer(bytes))
        }
        length.store(file.length, ordering: .relaxed)
    }

    /// Whether the task need not wait any more.
    private func isDone(with piece: ReceiveMemory) -> Bool {
        let count = piece.count
        piece.empty()
        return waiting.withLock { waiting in
            waiting.bytes -= count
            if piece.capacity == Self.pieceSize, waiting.spare.count < Self.piecesAtMost { waiting.spare.append(piece) }
            guard waiting.isHolding, waiting.bytes <= Self.pieceSize else { return false }
            waiting.isHolding = false
            return true
        }
    }

    private func spare() -> ReceiveMemory? { waiting.withLock { $0.spare.popLast() } }

    /// Stops a file that is being finished, if it is not too late.
    func abandon() { isAbandoned.store(true, ordering: .relaxed) }

    /// Nothing more comes. Calls `completion` once, on the queue, when all is written.
    func finish(_ ending: Ending, for task: SessionTask, _ completion: @escaping @Sendable (Outcome) -> Void) {
        handOver(for: task)
        queue.async { completion(self.outcome(ending)) }
    }

    private func outcome(_ ending: Ending) -> Outcome {
        if ending.isComplete, failure == nil, !isAbandoned.load(ordering: .relaxed) {
            do throws(SessionError.DownloadFailure) {
                if let expected = ending.expectedLength, expected != file.length {
                    throw .incomplete(received: file.length, of: expected)
                }
                return .complete(path: try file.commit())
            } catch {
                failure = error
            }
        }
        let keeps =
            switch failure {
            case nil, .incomplete: ending.keepsFirstPart
            case .file: ending.keepsFirstPartOnFullDisk
            default: false
            }
        return .failed(failure, file.abandon(keepsFirstPart: keeps))
    }

    private func attempt(_ work: () throws(SessionError.DownloadFailure) -> Void) {
        guard failure == nil else { return }
        do throws(SessionError.DownloadFailure) {
            try work()
        } catch {
            failure = error
            whenFailed()
        }
    }

    /// Does something when what has come meanwhile is worth a look, on the queue.
    func soon(_ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + Self.patience, execute: work)
    }

    /// Does what may take long, on the queue.
    func later(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}
