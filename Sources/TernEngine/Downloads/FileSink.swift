// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernFiles
import TernIO
import TernLock

/// Writes a body to a file: it is received into chunks of memory, and a queue of its own writes them, because a disk
/// may be slow. When too many wait, the task is paused.
///
/// `room`, `append`, `restart` and `finish` are for the receiving thread; `file` and `failure` belong to the queue, hence
/// `@unchecked Sendable`.
final class FileSink: @unchecked Sendable {
    /// The result.
    enum Outcome: Sendable {
        /// The file is complete at this path.
        case complete(path: String)
        /// There is no file; nil if the disk was not the cause.
        case failed(SessionError.DownloadFailure?, ResumeData?)
    }

    /// How it ends.
    struct Ending: Sendable {
        /// All of the content has arrived.
        let isComplete: Bool
        /// The length of the whole.
        let expectedLength: Int64?
        /// The partial file is kept if there can be no complete one, because the rest may be downloaded later.
        let keepsPartialFile: Bool
        /// The same, after a disk error.
        let keepsPartialFileOnFullDisk: Bool
        /// The length with the parts that continue it; nil without parts.
        var lengthWithParts: Int64?
    }

    /// A write of this size costs little more than copying its bytes, and received bytes are still in the processor's
    /// cache.
    static let pieceSize = 256 * 1024
    /// The maximum number of chunks; the last one is being filled while the others are written.
    private static let piecesAtMost = 4
    /// The minimum room for a system call.
    private static let leastRoom = 64 * 1024
    /// Bytes that arrive slowly are written after this time.
    private static let patience = Duration.milliseconds(100)

    private struct Waiting {
        var bytes = 0
        var isHolding = false
        var spare: [ReceiveMemory] = []
    }

    private final class Length: Sendable {
        let value = Atomic<Int64>(0)
    }

    private let queue: SerialQueue
    private let file: DownloadFile
    private var failure: SessionError.DownloadFailure?
    private let waiting = Lock(Waiting())
    private let isAbandoned = Atomic<Bool>(false)
    /// That of the present content: a write of content that was discarded counts for none.
    private var length = Length()
    private let whenFailed: @Sendable () -> Void
    private var piece: ReceiveMemory?

    /// Starts by creating the file. `whenFailed` is called on the queue, once, if the disk fails: no more is written
    /// then.
    init(_ plan: DownloadFile.Plan, whenFailed: @escaping @Sendable () -> Void) {
        file = DownloadFile(plan)
        queue = plan.place.part?.file.queue ?? SerialQueue()
        self.whenFailed = whenFailed
        queue.async { self.attempt { () throws(SessionError.DownloadFailure) in try self.file.open() } }
    }

    /// Lets parts be written to the file. Calls `completion` on the queue, unless there is no file.
    func share(_ completion: @escaping @Sendable (SharedFile) -> Void) {
        queue.async {
            self.attempt { () throws(SessionError.DownloadFailure) in
                if let file = try self.file.share(on: self.queue) { completion(file) }
            }
        }
    }

    /// The length of the file so far, in bytes.
    var writtenLength: Int64 { length.value.load(ordering: .relaxed) }

    /// Returns the buffer for the next bytes, of which `count` are expected; nil for no preference.
    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        if let piece, unsafe piece.room.count >= min(count, Self.leastRoom) { return unsafe piece.room }
        // Full, so it has been passed to the queue.
        let made = spare() ?? ReceiveMemory(capacity: min(count, Self.pieceSize))
        piece = piece ?? made
        return unsafe made.room.isEmpty || piece !== made ? nil : made.room
    }

    /// Takes received bytes, in that buffer or elsewhere.
    func append(_ bytes: Span<UInt8>, for task: SessionTask) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = piece ?? spare() ?? ReceiveMemory(capacity: Self.pieceSize)
            self.piece = piece
            let taken = piece.append(rest)
            // Without memory, it can only fail.
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

    /// Whether some received bytes are not written yet.
    var isBehind: Bool { waiting.withLock { $0.bytes } > 0 || piece.map { $0.count > 0 } ?? false }

    /// Writes the available bytes, even if they are few.
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
        queue.async { [length] in
            self.write(piece, length)
            if self.isDone(with: piece) { task.release() }
        }
    }

    private func write(_ piece: ReceiveMemory, _ length: Length) {
        attempt { () throws(SessionError.DownloadFailure) in
            guard let bytes = unsafe piece.filled(0..<piece.count) else { return }
            try unsafe self.file.write(UnsafeRawBufferPointer(bytes))
        }
        length.value.store(file.length, ordering: .relaxed)
    }

    /// Whether the task may continue.
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

    /// The content comes again from its beginning, as `plan` describes it: what was written is discarded.
    func restart(_ plan: DownloadFile.Plan, for task: SessionTask) {
        handOver(for: task)
        length = Length()
        queue.async { self.attempt { () throws(SessionError.DownloadFailure) in try self.file.restart(plan) } }
    }

    private func spare() -> ReceiveMemory? { waiting.withLock { $0.spare.popLast() } }

    /// Stops a file that is being finished, if it is not too late.
    func abandon() { isAbandoned.store(true, ordering: .relaxed) }

    /// No more bytes come. Calls `completion` once, on the queue, when all is written.
    func finish(_ ending: Ending, for task: SessionTask, _ completion: @escaping @Sendable (Outcome) -> Void) {
        handOver(for: task)
        queue.async { completion(self.outcome(ending)) }
    }

    private func outcome(_ ending: Ending) -> Outcome {
        if ending.isComplete, failure == nil, !isAbandoned.load(ordering: .relaxed) {
            do throws(SessionError.DownloadFailure) {
                if let end = ending.lengthWithParts { try takeParts(upTo: end) }
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
            case nil, .incomplete: ending.keepsPartialFile
            case .file: ending.keepsPartialFileOnFullDisk
            default: false
            }
        let end = failure == nil ? ending.lengthWithParts : nil
        return .failed(failure, file.abandon(keepsPartialFile: keeps, upTo: end))
    }

    private func takeParts(upTo end: Int64) throws(SessionError.DownloadFailure) {
        try file.takeParts(upTo: end)
        length.value.store(file.length, ordering: .relaxed)
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

    /// Runs a closure on the queue when the received bytes are worth processing.
    func soon(_ work: @escaping @Sendable () -> Void) {
        queue.async(after: Self.patience, work)
    }

    /// Runs a long operation on the queue.
    func later(_ work: @escaping @Sendable () -> Void) { queue.async(work) }
}
