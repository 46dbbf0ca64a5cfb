// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO

/// The output of `-D`: the heads of all URLs, one after another. A file is replaced when all have arrived. As in curl, a
/// file that is also the output of a body has the body alone.
///
/// Only the queue accesses `sink` and the variables, which makes `@unchecked Sendable` correct.
final class HeadDump: @unchecked Sendable {
    let isStandardOutput: Bool
    private let queue = SerialQueue()
    private let sink: BodySink
    /// The regular file that is written; nil for another output.
    private let file: String?
    private var isOpen = false
    private var temporary: TemporaryFile?
    /// Whether the file is that of a body.
    private var isGivenUp = false
    private var failure: (any Error)?

    init(path: String) throws(OutputError) {
        isStandardOutput = path == "-"
        sink = try BodySink(path: path)
        file = OutputTarget.regularFile(path)
    }

    /// - Parameter path: the output of a body; nil for standard output.
    func giveWay(to path: String?) {
        guard let file, let path, OutputTarget.regularFile(path) == file else { return }
        queue.sync {
            isGivenUp = true
            sink.abandon()
            temporary?.remove()
        }
    }

    /// Writes heads, and waits until that is done. Throws also if an earlier write failed.
    func write(_ heads: Data) throws {
        try queue.sync { try append(heads) }
    }

    /// Writes heads on a thread of its own, and calls `completion` there. A failure cancels `task`, and is thrown by
    /// the next `write(_:)`.
    func write(_ heads: Data, for task: SessionTask, completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            do {
                try append(heads)
            } catch {
                failure = error
                task.cancel()
            }
            completion()
        }
    }

    func finish() throws {
        try queue.sync { if isOpen, !isGivenUp { try sink.finish() } }
    }

    private func append(_ heads: Data) throws {
        if let failure { throw failure }
        if isGivenUp { return }
        if !isOpen { temporary = try sink.open() }
        isOpen = true
        try sink.write(heads)
    }
}
