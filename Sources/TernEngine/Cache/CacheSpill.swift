// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO
import TernLock
import TernSystem

/// Content that is collected in a file while it arrives. It is written on a queue, because a disk may be slow, and what
/// arrives does not wait: when too much of it does, the disk cannot keep up, and the content is not collected.
///
/// `append` is for the receiving thread. The writer belongs to the queue, hence `@unchecked Sendable`.
final class CacheSpill: @unchecked Sendable {
    /// The minimum number of bytes that are worth a write.
    private static let pieceSize = 64 * 1024

    /// What the queue has made of it.
    private final class Output: @unchecked Sendable {
        var writer: CacheFileWriter?
        var error: (any Error)?
    }

    private let cache: URLCache
    private let queue: SerialQueue
    private let output = Output()
    /// Whether nothing more is written: the disk has failed, or the content is not wanted any more.
    private let isOver = Atomic<Bool>(false)
    /// What waits for the queue.
    private let waiting = Lock<[[UInt8]]>([])
    /// What has arrived and is not passed to the queue.
    private var piece: [UInt8] = []

    /// - Parameters:
    ///   - known: what has arrived before.
    ///   - collected: counts that until it is written.
    init(_ known: [UInt8], _ collected: CollectedBytes, in cache: URLCache, _ folder: CacheFolder) {
        self.cache = cache
        queue = SerialQueue(on: folder.fileThreads)
        queue.async { [self] in
            // Also if nothing is written: until here the bytes are in memory.
            defer { collected.discard() }
            attempt { output in
                let writer = try folder.makeContent()
                try writer.write(known.span)
                output.writer = writer
            }
        }
    }

    /// The file is closed, or removed, on the queue.
    deinit {
        discard()
        queue.async { [output] in output.writer = nil }
    }

    /// On the queue: does something, if nothing has failed.
    private func attempt(_ work: (Output) throws -> Void) {
        if isOver.load(ordering: .relaxed) { return }
        do {
            try work(output)
        } catch {
            isOver.store(true, ordering: .relaxed)
            (output.error, output.writer) = (error, nil)
            cache.failed(error)
        }
    }

    /// Takes bytes that have arrived. False if the disk has failed, or does not keep up.
    func append(_ bytes: Span<UInt8>) -> Bool {
        guard !isOver.load(ordering: .relaxed), cache.waitForDisk(bytes.count) else { return false }
        unsafe bytes.withUnsafeBufferPointer { unsafe piece.append(contentsOf: $0) }
        if piece.count >= Self.pieceSize { passOn() }
        return true
    }

    private func passOn() {
        if piece.isEmpty { return }
        let bytes = piece
        piece = []
        waiting.withLock { $0.append(bytes) }
        queue.async { [self] in attempt { try writeNext(to: $0) } }
    }

    private func writeNext(to output: Output) throws {
        guard let bytes = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        defer { cache.written(bytes.count) }
        try output.writer?.write(bytes.span)
    }

    /// Nothing more arrives.
    func end() { passOn() }

    /// The content is not wanted any more.
    func abandon() {
        isOver.store(true, ordering: .relaxed)
        discard()
    }

    private func discard() {
        let count = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting.reduce(0) { $0 + $1.count }
        }
        cache.written(count + piece.count)
        piece = []
    }

    /// The file, once everything is written. Blocks, and gives it away.
    func finished() throws -> CacheFileWriter {
        try queue.sync {
            if let error = output.error { throw error }
            guard let writer = output.writer.take() else { throw CacheFileError.damaged }
            return writer
        }
    }
}

extension CacheSpill: CachedContent {
    func readAll() throws -> [UInt8] {
        try queue.sync {
            if let error = output.error { throw error }
            return try output.writer?.readAll() ?? []
        }
    }
}
