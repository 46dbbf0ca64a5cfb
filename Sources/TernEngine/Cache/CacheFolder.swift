// SPDX-License-Identifier: Apache-2.0
// Safety: buffers are lent for one call.
import TernFiles
import TernHTTP1
import TernIO
import TernLock
public import TernSystem

/// The stored responses of a folder, which several processes may share. Every call blocks for the disk; any thread may
/// call.
///
/// For each URL there is a file of records, and for each response a file with its content:
///
/// - `tern-cache`: the version of the format. A folder without it is used only if it is empty: what is not needed any more
///   is deleted from it.
/// - `ab/ab…`: the records of the URL whose digest is `ab…`, with digests of what may be a secret of a request. Each
///   change writes the file anew under a lock and renames it, so that readers, which take no lock, see the old or the
///   new one.
/// - `ab/ab…-NAME`: the content of a record. It has no name until it is complete, and gets one before its record.
/// - `tern-usage`: the size of all files, so that none of them is looked at to know it, and a number that tells the other
///   processes that something was removed.
///
/// A process that is killed leaves nothing, or content without a record, which a later sweep removes. No file is flushed to
/// the disk: what a power failure damages does not match its checksum.
///
/// The folder is swept (see ``CacheSweep``) when its size exceeds the capacity or is not known, and when as much has been
/// written as it holds: on a queue of its own, so that no look-up waits for it.
final class CacheFolder: Sendable {
    static let version = "tern-cache 1\n"
    private static let markerName = "tern-cache"
    /// The maximum length of the records of one URL: each look-up reads them, and each change writes them.
    private static let maximumRecordsLength = 256 * 1024
    /// How long another process may take to change the records of a URL.
    private static let lockTimeout = Duration.seconds(5)

    /// What the program wants removed.
    private struct Removal {
        let number: UInt64
        /// Of responses that were received or validated at this time or later.
        let since: Int64
        /// The contents that were stored after the program had said so.
        var kept: Set<String> = []

        func includes(_ record: CacheRecord) -> Bool {
            record.responseTime >= since && !kept.contains(record.contentName)
        }
    }

    private struct State {
        var isSweeping = false
        /// Whether there was a reason for a sweep while another one ran.
        var isSweepWanted = false
        /// Who waits until the folder is not being swept.
        var waiting: [Semaphore] = []
        var removal: Removal?
        var removalCount: UInt64 = 0
    }

    let path: String
    private let state = Lock(State())
    private let space: CacheSpace
    private let sweepQueue: SerialQueue
    /// For contents that are written as they arrive, or read as they are delivered.
    let fileThreads: WorkThreads

    /// Opens the folder, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of bytes of all files; 0 stores nothing.
    ///   - sweepThreads: those that sweep.
    ///   - fileThreads: those that read and write contents.
    init(
        path: String, capacity: Int64, sweepThreads: WorkThreads = .shared, fileThreads: WorkThreads = .shared
    ) throws(URLCacheError) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        (self.sweepQueue, self.fileThreads) = (SerialQueue(on: sweepThreads), fileThreads)
        space = CacheSpace(folder: self.path, capacity: capacity)
        do throws(SystemCallError) {
            if !self.path.contains("/") || FileStatus(of: FilePath.folder(of: self.path)) != nil {
                _ = try FilePath.createPrivateFolder(self.path)
            } else {
                try FilePath.createFolder(FilePath.folder(of: self.path))
                _ = try FilePath.createPrivateFolder(self.path)
            }
        } catch {
            throw .cannotOpen(path: path, error)
        }
        try check()
        space.open()
    }

    private func check() throws(URLCacheError) {
        guard let status = FileStatus(of: path), status.kind == .folder else { throw .notAFolder(path: path) }
        if status.owner != FilePath.user { throw .foreign(path: path, owner: status.owner) }
        if status.permissions & 0o022 != 0 { throw .exposed(path: path, mode: status.permissions) }
        do throws(SystemCallError) {
            // Whether it can be written is known before anything is lost.
            _ = try OutputFile.createTemporary(FilePath.temporary(in: path), permissions: 0o600)
        } catch {
            throw .cannotOpen(path: path, error)
        }
        switch mark {
        case .present: break
        case .lost(let isEmpty):
            do throws(SystemCallError) {
                try begin(isEmpty: isEmpty)
            } catch {
                throw .cannotOpen(path: path, error)
            }
        case .newer(let text): throw .unsupportedVersion(path: path, found: text)
        case .foreign: throw .notACache(path: path)
        }
    }

    /// Makes the folder one of a cache.
    private func begin(isEmpty: Bool) throws(SystemCallError) {
        try OutputFile.replace(marker, by: Array(Self.version.utf8))
        space.begin(isEmpty: isEmpty)
    }

    private var marker: String { path + "/" + Self.markerName }

    /// What the file with the version says of the folder.
    private enum Mark {
        case present
        /// It is not there, or was emptied, cut off or overwritten, as by a full disk or a power failure. What is stored
        /// has checksums of its own, so the cache goes on.
        case lost(isEmpty: Bool)
        /// That of a later version.
        case newer(String)
        /// The folder is none of a cache.
        case foreign
    }

    private var mark: Mark {
        let text = try? FileContent.read(marker, limit: 1024)
        if let text {
            if text == Array(Self.version.utf8) { return .present }
            if Self.isNewer(text) { return .newer(String(decoding: text, as: UTF8.self)) }
        }
        let others = FilePath.names(in: path).filter { $0 != Self.markerName }
        let isCut = text.map { Self.version.utf8.starts(with: $0) || $0.allSatisfy { $0 == 0 } } ?? false
        guard isCut || others.allSatisfy(Self.isOwn) else { return .foreign }
        return .lost(isEmpty: others.allSatisfy(CacheFileName.isTemporary))
    }

    /// Whether a cache gives this name to a file in its folder.
    private static func isOwn(_ name: String) -> Bool {
        name == CacheUsageFile.name || CacheFileName.isPart(name) || CacheFileName.isTemporary(name)
    }

    /// `tern-cache` and a number above this version's, in a line of its own.
    private static func isNewer(_ text: [UInt8]) -> Bool {
        let start = Array("\(markerName) ".utf8)
        guard text.starts(with: start), let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return false }
        let digits = text[start.count..<end]
        return digits.allSatisfy { (0x30...0x39).contains($0) } && digits.first ?? 0x30 != 0x30
            && !digits.elementsEqual("1".utf8)
    }

    var capacity: Int64 {
        get { space.capacity }
        set {
            space.capacity = newValue
            if space.isSweepDue { sweep() }
        }
    }

    /// The maximum length of the content of one response; negative if none may be stored.
    var maximumContentLength: Int64 {
        let capacity = capacity
        return capacity > 0 ? capacity / 2 : -1
    }

    /// The number of bytes of all files, as processes have noted it. Blocks while the folder is measured, if none has.
    var usage: Int64 {
        if let size = space.size { return size }
        sweep()
        finishSweep()
        return space.size ?? 0
    }

    /// Waits until the folder is not being swept. Blocks.
    func finishSweep() {
        let end = state.withLock { state -> Semaphore? in
            guard state.isSweeping else { return nil }
            let end = Semaphore()
            state.waiting.append(end)
            return end
        }
        end?.wait()
    }

    // Names

    private func part(_ key: String) -> String { "\(path)/\(key.prefix(2))" }

    /// The path of the records of a URL. Nil if the part of the folder that they belong to is not there, or is a link:
    /// nothing is followed out of the folder.
    private func base(key: String) -> String? {
        let part = part(key)
        return FileStatus(ofLink: part)?.kind == .folder ? "\(part)/\(key)" : nil
    }

    private func base(_ url: String) -> String? { base(key: CacheRecord.key(of: url)) }

    private static func content(_ base: String, _ name: String) -> String { base + "-" + name }

    /// None if nothing is there, and none of a file that is too long, no regular file, or another user's: it is replaced.
    private static func records(_ path: String) throws(SystemCallError) -> (records: CacheRecords, length: Int) {
        let file: InputFile
        do throws(SystemCallError) {
            file = try InputFile(path)
        } catch {
            let isUnusable = error.isNotRegularFile || error == .invalidPath || error == .notPermitted
            guard error.isMissingFile || isUnusable else { throw error }
            return (CacheRecords([]), 0)
        }
        guard file.length <= maximumRecordsLength else { return (CacheRecords([]), Int(clamping: file.length)) }
        var bytes = [UInt8](repeating: 0, count: Int(clamping: file.length))
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemCallError) in try unsafe file.read(into: buffer, at: 0) }
        }
        let count = try read.get()
        return (CacheRecords(Array(bytes.prefix(count))), count)
    }
}

// Reading
extension CacheFolder {
    /// What is stored under the URL, in the order in which it was stored, the latest first. Records that cannot be read are
    /// skipped.
    func records(for url: String) -> [CacheRecord] {
        let key = CacheRecord.key(of: url)
        guard let base = base(key: key) else { return [] }
        let records = (try? Self.records(base))?.records.records ?? []
        let removal = state.withLock { $0.removal }
        return records.prefix(StoredResponse.maximumVariantCount)
            .filter { $0.key == key && removal?.includes($0) != true }
    }

    /// Nil if the content is missing or was not written as a whole: the record is removed then.
    func content(of response: StoredResponse) -> CacheFile? {
        // No folder keeps more than it may: such a length is not believed.
        if let base = base(response.url), response.contentLength <= capacity {
            let path = Self.content(base, response.contentName)
            if let file = try? CacheFile(path, length: response.contentLength, threads: fileThreads) { return file }
        }
        remove(response)
        return nil
    }

    /// Notes that the response was used, for the order of eviction.
    func touch(_ url: String) { if let base = base(url) { FilePath.touch(base) } }

    /// Whether another process, or object, has had responses removed since the last time that this was asked.
    var haveOthersRemoved: Bool { space.haveOthersRemoved }
}

// Writing
extension CacheFolder {
    /// New content, which has no name until it is stored, and disappears with the process.
    func makeContent() throws(SystemCallError) -> CacheFileWriter {
        if FileStatus(of: path) == nil { try restore() }
        return CacheFileWriter(try OutputFile.createTemporary(FilePath.temporary(in: path), permissions: 0o600))
    }

    /// The folder was deleted.
    private func restore() throws(SystemCallError) {
        _ = try FilePath.createPrivateFolder(path)
        try begin(isEmpty: true)
    }

    /// Adds a record and its content, in place of what it replaces. That is removed also if the response is too large, or
    /// cannot be written.
    func store(_ response: StoredResponse, _ content: CacheFileWriter) throws {
        let record = CacheRecord(response)
        guard response.contentLength <= maximumContentLength, record.line.count <= Self.maximumRecordsLength else {
            return removeReplaced(by: response)
        }
        let part = part(record.key)
        _ = try FilePath.createPrivateFolder(part)
        guard let base = base(key: record.key) else { throw URLCacheError.notAFolder(path: part) }
        let file = Self.content(base, response.contentName)
        let size = CacheFileWriter.size(of: response.contentLength).saturatingSum(Int64(record.line.count))
        space.begin(size)
        var removed: [CacheRecord] = []
        let difference: Int64
        do {
            try content.finish().moveIfAbsent(to: file)
            state.withLock { _ = $0.removal?.kept.insert(response.contentName) }
            difference = try change(base) { records in
                let others = records.filter { !$0.isReplaced(by: response) }
                let kept = Self.kept(others, beside: record)
                removed = records.filter { $0.isReplaced(by: response) } + others.dropFirst(kept.count)
                return [record] + kept
            }
        } catch {
            OutputFile.remove(file)
            if space.finish(size, -size) { sweep() }
            removeReplaced(by: response)
            throw error
        }
        let gone = removeContents(base, removed)
        if space.finish(size, difference - Int64(record.line.count) - gone) { sweep() }
    }

    /// The latest of them that have room beside a new one.
    private static func kept(_ records: [CacheRecord], beside record: CacheRecord) -> ArraySlice<CacheRecord> {
        var room = maximumRecordsLength - record.line.count
        return records.prefix(StoredResponse.maximumVariantCount - 1).prefix { other in
            room -= other.line.count
            return room >= 0
        }
    }

    func removeReplaced(by response: StoredResponse) {
        if let base = base(response.url) { note(remove(from: base) { $0.isReplaced(by: response) }) }
    }

    /// Replaces the record with the same content, if it is still there.
    func update(_ response: StoredResponse) throws {
        guard let base = base(response.url), FileStatus(ofLink: base) != nil else { return }
        let difference = try change(base) { records in
            records.map { $0.contentName == response.contentName ? CacheRecord(response) : $0 }
        }
        note(difference)
    }

    func remove(_ response: StoredResponse) {
        removeEverywhere(response.url) { $0.contentName == response.contentName }
    }

    func removeAll(for url: String) { removeEverywhere(url) { _ in true } }

    /// No other process may answer with it either.
    private func removeEverywhere(_ url: String, where isRemoved: (CacheRecord) -> Bool) {
        guard let base = base(url) else { return }
        let difference = remove(from: base, where: isRemoved)
        note(difference, isRemoval: difference != 0)
    }

    /// Returns by how many bytes the folder has grown.
    private func remove(from base: String, where isRemoved: (CacheRecord) -> Bool) -> Int64 {
        guard let status = FileStatus(ofLink: base) else { return 0 }
        var removed: [CacheRecord] = []
        do {
            let difference = try change(base) { records in
                removed = records.filter(isRemoved)
                return records.filter { !isRemoved($0) }
            }
            return difference - removeContents(base, removed)
        } catch {
            // A disk that takes nothing more: what may not answer any more goes with its neighbours.
            OutputFile.remove(base)
            return -status.length - removeContents(base, removed)
        }
    }

    /// Removes the responses that were received or validated at this time or later; nil for all. They answer nothing from
    /// now on, and are gone after the next sweep.
    func removeAll(since seconds: Int64?) {
        let since = seconds ?? .min
        state.withLock { state in
            state.removalCount &+= 1
            state.removal = Removal(number: state.removalCount, since: min(since, state.removal?.since ?? since))
        }
        note(0, isRemoval: true)
        sweep()
    }

    /// Changes the records of a file; without any left the file is removed. Lines of other versions stay while there is
    /// room. Returns by how many bytes the file has grown.
    private func change(_ base: String, _ body: ([CacheRecord]) -> [CacheRecord]) throws -> Int64 {
        guard let lock = try Self.locked(base + ".lock") else { throw MergedFile.Failure.locked }
        defer { lock.remove() }
        let (known, before) = try Self.records(base)
        let records = body(known.records)
        let length = records.reduce(0) { $0 + $1.line.count } + known.otherLines.count
        let otherLines = length <= Self.maximumRecordsLength ? known.otherLines : []
        let bytes = CacheRecords.bytes(of: records, after: otherLines)
        if bytes.isEmpty { OutputFile.remove(base) } else { try OutputFile.replace(base, by: bytes) }
        return Int64(bytes.count - before)
    }

    /// What stands in the place of the lock and is no file, such as a link, is removed.
    private static func locked(_ path: String) throws(SystemCallError) -> OutputFile? {
        do throws(SystemCallError) {
            return try OutputFile.locked(path, within: lockTimeout)
        } catch {
            guard error.isNotRegularFile else { throw error }
            OutputFile.remove(path)
            return try OutputFile.locked(path, within: lockTimeout)
        }
    }

    /// Returns the number of bytes that were removed.
    private func removeContents(_ base: String, _ records: [CacheRecord]) -> Int64 {
        var size: Int64 = 0
        for record in records {
            let path = Self.content(base, record.contentName)
            guard let status = FileStatus(ofLink: path) else { continue }
            OutputFile.remove(path)
            size = size.saturatingSum(status.length)
        }
        return size
    }
}

// Limits
extension CacheFolder {
    /// Adds to the size of the folder.
    private func note(_ count: Int64, isRemoval: Bool = false) {
        if space.note(count, isRemoval: isRemoval) { sweep() }
    }

    private func sweep() {
        let isFirst = state.withLock { state in
            defer { (state.isSweepWanted, state.isSweeping) = (state.isSweeping, true) }
            return !state.isSweeping
        }
        guard isFirst else { return }
        sweepQueue.async { self.beginSweep() }
    }

    private func beginSweep() {
        // Nothing is removed from a folder that is not, or no longer, a cache's.
        guard (try? FileContent.read(marker, limit: 1024)) == Array(Self.version.utf8) else {
            state.withLock { $0.removal = nil }
            return endSweep()
        }
        let removal = state.withLock { $0.removal?.number }
        // One process at a time; but each removes what its program wants removed.
        let lock = try? OutputFile.locked("\(path)/\(CacheSweep.lockName)", within: .zero)
        if lock == nil, removal == nil { return endSweep() }
        let before = space.sweepBegins()
        measure(CacheSweep(path: path), removal) { sweep in
            self.space.sweepEnded(sweep.size, since: before)
            lock?.remove()
            self.endSweep()
        }
    }

    /// One step, and the next one after what else waits for the queue.
    private func measure(
        _ sweep: CacheSweep, _ removal: UInt64?, _ completion: @escaping @Sendable (CacheSweep) -> Void
    ) {
        let isMeasured = !sweep.measureNext(
            remove: removal.map { _ in { base in _ = self.remove(from: base) { self.isRemoved($0) } } },
            contentNames: { Set((try? Self.records($0))?.records.records.map(\.contentName) ?? []) })
        guard isMeasured else { return sweepQueue.async { self.measure(sweep, removal, completion) } }
        if removal != nil {
            state.withLock { if $0.removal?.number == removal { $0.removal = nil } }
            // Others may have read again what they had forgotten.
            note(0, isRemoval: true)
        }
        sweep.choose(capacity: capacity)
        evict(sweep, completion)
    }

    private func isRemoved(_ record: CacheRecord) -> Bool { state.withLock { $0.removal?.includes(record) } ?? false }

    private func evict(_ sweep: CacheSweep, _ completion: @escaping @Sendable (CacheSweep) -> Void) {
        guard sweep.evictNext() else { return completion(sweep) }
        sweepQueue.async { self.evict(sweep, completion) }
    }

    /// Sweeps again if there is still a reason for it.
    private func endSweep() {
        let (isRemovalLeft, isWanted) = state.withLock { state in
            defer { (state.isSweeping, state.isSweepWanted) = (false, false) }
            return (state.removal != nil, state.isSweepWanted)
        }
        if isRemovalLeft || isWanted && space.isSweepDue { return sweep() }
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for end in waiting { end.signal() }
    }
}

/// Why a folder cannot be used by a cache.
public enum URLCacheError: Error, Sendable, Hashable {
    /// The folder, or a file in it, cannot be created, read or written.
    case cannotOpen(path: String, SystemCallError)
    /// Something else than a folder is there.
    case notAFolder(path: String)
    /// The folder has files in it, and was not created by a cache: a cache deletes what it does not need.
    case notACache(path: String)
    /// A cache of another version has created it, whose marker this is.
    case unsupportedVersion(path: String, found: String)
    /// Others than its owner may write to it.
    case exposed(path: String, mode: UInt32)
    /// It belongs to another user.
    case foreign(path: String, owner: UInt32)
}

extension URLCacheError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let error): "cannot use \(path) for a cache: \(error)"
        case .notAFolder(let path): "\(path) is not a folder"
        case .notACache(let path): "\(path) is not empty, and no cache has created it: name an empty or a new folder"
        case .unsupportedVersion(let path, let found):
            "\(path) was created by another version of the cache: \(found.prefix(40).filter { !$0.isNewline })"
        case .exposed(let path, let mode):
            "others may write to \(path) (mode \(String(mode, radix: 8))): a cache must belong to one user"
        case .foreign(let path, let owner): "\(path) belongs to the user \(owner)"
        }
    }
}
