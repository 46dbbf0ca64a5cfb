// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine
import TernIO
import TernLock

/// Writes received bytes, in order and on a thread of its own: a FIFO without a reader, or a slow disk, must not block
/// the reactor, whose timeouts would not fire then. Unwritten bytes pause the task.
///
/// `sink` and `failure` belong to the queue, hence `@unchecked Sendable`.
final class BodyWriter: @unchecked Sendable {
    /// The maximum number of unwritten bytes before the task is paused.
    private static let window = 1 << 20

    private struct Waiting {
        var bytes = 0
        var isHolding = false
        var temporaryFile: TemporaryFile?
    }

    /// Those of all writers to standard output, and to regular files. What may block for good has a queue of its own.
    private static let queues = (output: SerialQueue(), files: SerialQueue())

    private let queue: SerialQueue
    private let sink: BodySink
    private var failure: (any Error)?
    private let waiting = Lock(Waiting())

    /// Whether written bytes cannot be undone.
    let isWrittenThrough: Bool

    init(sink: sending BodySink) {
        isWrittenThrough = sink.isWrittenThrough
        queue =
            switch sink.kind {
            case .standardOutput: Self.queues.output
            case .file: Self.queues.files
            case .other: SerialQueue()
            }
        self.sink = sink
    }

    /// The response whose body follows, before the sink is opened.
    func describe(_ response: HTTPURLResponse) { queue.async { [self] in sink.describe(response) } }

    /// Opens the sink; the task waits meanwhile.
    func open(for task: SessionTask) {
        task.hold()
        queue.async { [self] in
            attempt(for: task) {
                let file = try sink.open()
                waiting.withLock { $0.temporaryFile = file }
            }
            task.release()
        }
    }

    /// Undoes what was written to a file: the sink is opened again.
    func restart(for task: SessionTask) {
        queue.async { [self] in attempt(for: task) { try sink.restart() } }
    }

    func write(_ data: Data, for task: SessionTask) {
        let isTooMuch = waiting.withLock { waiting in
            waiting.bytes += data.count
            if waiting.isHolding || waiting.bytes <= Self.window { return false }
            waiting.isHolding = true
            return true
        }
        if isTooMuch { task.hold() }
        queue.async { [self] in
            attempt(for: task) { try sink.write(data) }
            let isEnough = waiting.withLock { waiting in
                waiting.bytes -= data.count
                if !waiting.isHolding || waiting.bytes > Self.window / 2 { return false }
                waiting.isHolding = false
                return true
            }
            if isEnough { task.release() }
        }
    }

    /// Writes a line to standard error when all before it has been written.
    func tell(_ lines: [String]) {
        queue.async { StandardStreams.tell(lines.joined(separator: "\n")) }
    }

    /// Calls `next` when everything before it is written, or discarded.
    func whenWritten(_ next: @escaping @Sendable () -> Void) { queue.async(next) }

    /// How a body ends.
    enum Ending {
        case whole, brokenOff, unwanted
    }

    /// Calls `completion` when everything is written, with the error if there was one, and the path of the file.
    func finish(_ ending: Ending, _ completion: @escaping @Sendable ((any Error)?, _ path: String?) -> Void) {
        queue.async { [self] in
            do {
                switch ending {
                case .whole where failure == nil: try sink.finish()
                case .brokenOff where failure == nil: sink.breakOff()
                case .whole, .brokenOff, .unwanted: sink.abandon()
                }
            } catch {
                failure = error
            }
            completion(failure, sink.path)
        }
    }

    /// Removes unfinished files, even if the queue is stuck.
    func abandon() { waiting.withLock { $0.temporaryFile }?.remove() }

    private func attempt(for task: SessionTask, _ work: () throws -> Void) {
        guard failure == nil else { return }
        do {
            try work()
        } catch {
            failure = error
            task.cancel()
        }
    }
}
