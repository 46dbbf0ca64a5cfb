// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
import TernLock
public import TernSystem

/// Records what the tasks of a session send and receive as an HTTP Archive (HAR 1.2), which the developer tools of
/// browsers open: give it to ``SessionConfiguration/observers``, and write the archive with ``write(to:)``.
///
/// A task is recorded when it ends. An attempt is an entry, also one that has failed, whose status is 0, and so is an
/// answer from a cache or a protocol class. Fields that begin with an underscore are additions to HAR: `_task`, `_hop`
/// and `_attempt` number the tasks of the process, and in each the hops, from 0, and the attempts, from 1; `_hedge`
/// marks an attempt beside another one. `comment` says what came of an attempt, and why another followed.
///
/// An archive leaves out secrets: the values of sensitive fields (``SensitiveFields``), of all cookies, and of query
/// items and fields whose names indicate a secret are replaced by `redacted`, and URLs have no userinfo. It has no
/// bodies. A secret in the path of a URL stays, and so do query items where
/// ``SensitiveFields/redactsQueryItems`` is off.
public final class HARRecorder: SessionObserver {
    /// The maximum number of entries: more push out the oldest.
    public let maximumCount: Int
    private let creator: HARArchive.Creator
    private let state = Lock(State())

    private struct State {
        /// At most twice as many as are kept, so that the oldest are removed together.
        var entries: [HARSource] = []
        var totalCount = 0
    }

    /// Creates an empty archive.
    ///
    /// - Parameters:
    ///   - maximumCount: the maximum number of entries.
    ///   - creator: the name of the program, for the archive.
    ///   - version: the version of the program, for the archive.
    public init(maximumCount: Int = 1_000, creator: String = "Tern", version: String = "") {
        self.maximumCount = max(0, maximumCount)
        self.creator = HARArchive.Creator(name: creator, version: version)
    }

    /// The number of entries.
    public var count: Int { state.withLock { min($0.totalCount, maximumCount) } }

    /// The number of entries that were pushed out.
    public var droppedCount: Int { state.withLock { max(0, $0.totalCount - maximumCount) } }

    /// Removes all entries.
    public func removeAll() { state.withLock { $0 = State() } }

    /// The archive: a JSON text in UTF-8. Entries are in the order in which they began.
    public func json() -> [UInt8] {
        let sources = state.withLock { $0.entries.suffix(maximumCount) }
        let entries = sources.sorted { $0.startTime < $1.startTime }.map(HARArchive.Entry.init)
        let dropped = droppedCount
        let comment = dropped > 0 ? "\(dropped) older entries were dropped" : nil
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and finite numbers can always be encoded.
        let data = try? encoder.encode(HARArchive(log: .init(creator: creator, entries: entries, comment: comment)))
        return Array(data ?? Data())
    }

    /// Writes the archive to a file, which only its owner may read. A file that exists is replaced in one step.
    public func write(to file: URL) throws(SystemCallError) {
        try OutputFile.replace(file.path(percentEncoded: false), by: json())
    }

    /// Begins the record of a task.
    public func created(_ task: any ObservedTask) -> (any Sendable)? { TaskRecording() }

    /// Adds to the record of a task, and keeps it with the last event.
    public func observe(_ observation: TaskObservation) {
        guard let record = (observation.context as? TaskRecording)?.add(observation) else { return }
        let entries = record.entries.map { HARSource(task: observation.task.taskIdentifier, entry: $0, of: record) }
        state.withLock { state in
            state.totalCount += entries.count + record.droppedCount
            state.entries += entries
            if state.entries.count > 2 * maximumCount { state.entries.removeFirst(state.entries.count - maximumCount) }
        }
    }
}
