// SPDX-License-Identifier: Apache-2.0
// Safety: buffers are lent for one call.
import TernFiles
import TernHTTP1
import TernLock
public import TernSystem

/// The stored responses of a folder, which several processes may share. Every call blocks for the disk; any thread may
/// call.
///
/// For each URL there is a file of records, and for each response a file with its content:
///
/// - `tern-cache`: the version of the format. A folder without it is used only if it is empty: what is not needed any more
///   is deleted from it.
/// - `ab/ab…`: the records of the URL whose digest is `ab…`. They have digests of what may be a secret of a request. A record is added, replaced and removed by writing the file
///   anew under a lock and renaming it, so that readers, which take no lock, see the old or the new one.
/// - `ab/ab…-NAME`: the content of a record. It has no name until it is complete, and gets one before its record.
///
/// A process that is killed leaves nothing, or content without a record, which a later scan removes. No file is flushed to
/// the disk: what a power failure damages does not match its checksum.
final class CacheFolder: Sendable {
    static let version = "tern-cache 1\n"
    private static let markerName = "tern-cache"
    /// The maximum length of the records of one URL: each look-up reads them, and each change writes them.
    private static let maximumRecordsLength = 256 * 1024
    /// How long another process may take to change the records of a URL.
    private static let lockTimeout = Duration.seconds(5)
    /// How old a file that belongs to no record must be, in seconds, for its writer to be gone.
    private static let maximumWriteTime: Int64 = 60
    /// How often the use of a response is noted, in seconds.
    private static let touchInterval: Int64 = 60

    private struct State {
        var capacity: Int64
        /// Nil before the first scan.
        var usage: Int64?
        /// The number of bytes written since the last scan.
        var written: Int64 = 0
        var touched: [String: Int64] = [:]
    }

    let path: String
    private let state: Lock<State>

    /// Opens the folder, and creates it if it does not exist.
    ///
    /// - Parameter capacity: the maximum number of bytes of all files; 0 stores nothing.
    init(path: String, capacity: Int64) throws(URLCacheError) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        state = Lock(State(capacity: capacity))
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
    }

    private func check() throws(URLCacheError) {
        guard let status = FileStatus(of: path), status.kind == .folder else { throw .notAFolder(path: path) }
        if status.owner != FilePath.user { throw .foreign(path: path, owner: status.owner) }
        if status.permissions & 0o022 != 0 { throw .exposed(path: path, mode: status.permissions) }
        var text: String?
        do throws(SystemCallError) {
            // Whether it can be written is known before anything is lost.
            _ = try OutputFile.createTemporary(FilePath.temporary(in: path), permissions: 0o600)
            if let found = try FileContent.read(marker, limit: 1024) {
                text = String(decoding: found, as: UTF8.self)
            } else if FilePath.names(in: path).allSatisfy({ $0.hasPrefix(".tern-") }) {
                try OutputFile.replace(marker, by: Array(Self.version.utf8))
                text = Self.version
            }
        } catch {
            throw .cannotOpen(path: path, error)
        }
        guard let text else { throw .notACache(path: path) }
        guard text == Self.version else { throw .unsupportedVersion(path: path, found: text) }
    }

    private var marker: String { path + "/" + Self.markerName }

    var capacity: Int64 {
        get { state.withLock { $0.capacity } }
        set {
            state.withLock { $0.capacity = newValue }
            makeRoom()
        }
    }

    /// The maximum length of the content of one response.
    var maximumContentLength: Int64 { capacity / 2 }

    /// The number of bytes of all files, as far as this process knows: what others wrote counts from the next scan.
    var usage: Int64 { state.withLock { $0.usage } ?? scan().usage }

    // Names

    private func base(_ url: String) -> String { base(key: CacheRecord.key(of: url)) }

    private func base(key: String) -> String { "\(path)/\(key.prefix(2))/\(key)" }

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
        let records = (try? Self.records(base(key: key)))?.records.records ?? []
        return records.prefix(StoredResponse.maximumVariantCount).filter { $0.key == key }
    }

    /// Nil if the content is missing or was not written as a whole: the record is removed then.
    func content(of response: StoredResponse) -> CacheFile? {
        let path = Self.content(base(response.url), response.contentName)
        if let file = try? CacheFile(path, length: response.contentLength) { return file }
        remove(response)
        return nil
    }

    /// Notes that the response was used, for the order of eviction: at most once a minute.
    func touch(_ url: String) {
        let base = base(url)
        guard let status = FileStatus(of: base) else { return }
        let now = status.modificationTime + Self.touchInterval
        let isDue = state.withLock { state in
            if let last = state.touched[base], last >= now - Self.touchInterval { return false }
            if state.touched.count >= 4096 { state.touched = [:] }
            state.touched[base] = now
            return true
        }
        if isDue { FilePath.touch(base) }
    }
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
        try OutputFile.replace(marker, by: Array(Self.version.utf8))
    }

    /// Adds a record and its content, in place of what it replaces. Nothing but the replaced one is removed if it is too
    /// large.
    func store(_ response: StoredResponse, _ content: CacheFileWriter) throws {
        let record = CacheRecord(response)
        guard response.contentLength <= maximumContentLength, record.line.count <= Self.maximumRecordsLength else {
            return removeReplaced(by: response)
        }
        let base = base(key: record.key)
        _ = try FilePath.createPrivateFolder(FilePath.folder(of: base))
        let file = Self.content(base, response.contentName)
        try content.finish().moveIfAbsent(to: file)
        var removed: [CacheRecord] = []
        do {
            try change(base) { records in
                let others = records.filter { !$0.isReplaced(by: response) }
                let kept = Self.kept(others, beside: record)
                removed = records.filter { $0.isReplaced(by: response) } + others.dropFirst(kept.count)
                return [record] + kept
            }
        } catch {
            OutputFile.remove(file)
            throw error
        }
        wrote(CacheFileWriter.size(of: response.contentLength))
        for old in removed { removeContent(base, old.contentName, old.contentLength) }
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
        remove(from: base(response.url)) { $0.isReplaced(by: response) }
    }

    /// Replaces the record with the same content, if it is still there.
    func update(_ response: StoredResponse) throws {
        let base = base(response.url)
        guard FileStatus(of: base) != nil else { return }
        try change(base) { records in
            records.map { $0.contentName == response.contentName ? CacheRecord(response) : $0 }
        }
    }

    func remove(_ response: StoredResponse) {
        let base = base(response.url)
        try? change(base) { $0.filter { $0.contentName != response.contentName } }
        removeContent(base, response.contentName, response.contentLength)
    }

    func removeAll(for url: String) { remove(from: base(url)) { _ in true } }

    private func remove(from base: String, where isRemoved: (CacheRecord) -> Bool) {
        guard FileStatus(of: base) != nil else { return }
        var removed: [CacheRecord] = []
        try? change(base) { records in
            removed = records.filter(isRemoved)
            return records.filter { !isRemoved($0) }
        }
        for record in removed { removeContent(base, record.contentName, record.contentLength) }
    }

    /// Removes the responses that were received or validated at this time or later; nil for all.
    func removeAll(since seconds: Int64?) {
        for base in scan().bases { remove(from: base.path) { $0.responseTime >= seconds ?? .min } }
        _ = scan()
    }

    /// Changes the records of a file; without any left the file is removed. Lines of other versions stay while there is
    /// room.
    private func change(_ base: String, _ body: ([CacheRecord]) -> [CacheRecord]) throws {
        guard let lock = try OutputFile.locked(base + ".lock", within: Self.lockTimeout) else {
            throw MergedFile.Failure.locked
        }
        defer { lock.remove() }
        let (known, before) = try Self.records(base)
        let records = body(known.records)
        let length = records.reduce(0) { $0 + $1.line.count } + known.otherLines.count
        let otherLines = length <= Self.maximumRecordsLength ? known.otherLines : []
        let bytes = CacheRecords.bytes(of: records, after: otherLines)
        if bytes.isEmpty { OutputFile.remove(base) } else { try OutputFile.replace(base, by: bytes) }
        wrote(Int64(bytes.count - before))
    }

    private func removeContent(_ base: String, _ name: String, _ length: Int64) {
        let path = Self.content(base, name)
        guard FileStatus(of: path) != nil else { return }
        OutputFile.remove(path)
        state.withLock { state in
            state.usage = state.usage.map { max(0, $0 - CacheFileWriter.size(of: length)) }
        }
    }

    private func wrote(_ count: Int64) {
        let isFull = state.withLock { state in
            state.usage = state.usage.map { $0 + count }
            state.written += max(0, count)
            return state.usage ?? .max > state.capacity || state.written > state.capacity / 4
        }
        if isFull { makeRoom() }
    }
}

// Limits
extension CacheFolder {
    /// The files of one URL.
    private struct Base {
        let path: String
        /// When it was used, in nanoseconds.
        var lastUse: Int64 = 0
        var size: Int64 = 0
        var contents: [String] = []
    }

    /// Measures the folder, and removes what processes that were killed have left.
    private func scan() -> (bases: [Base], usage: Int64) {
        var bases: [String: Base] = [:]
        let old = oldTime
        for folder in FilePath.names(in: path) where folder.count == 2 {
            for name in FilePath.names(in: "\(path)/\(folder)") { note(name, in: "\(path)/\(folder)", old, &bases) }
        }
        for name in FilePath.names(in: path) where name.hasPrefix(".tern-") { removeIfOld("\(path)/\(name)", old) }
        removeOrphans(old, &bases)
        let usage = bases.values.reduce(0) { $0 + $1.size }
        state.withLock { ($0.usage, $0.written) = (usage, 0) }
        return (bases.values.sorted { $0.lastUse < $1.lastUse }, usage)
    }

    private func note(_ name: String, in folder: String, _ old: Int64, _ bases: inout [String: Base]) {
        let path = "\(folder)/\(name)"
        if name.hasPrefix(".") || name.hasSuffix(".lock") { return removeIfOld(path, old) }
        guard let status = FileStatus(of: path) else { return }
        let base = String(path.prefix(folder.count + 33))
        if name.count == 32 {
            bases[base, default: Base(path: base)].lastUse =
                status.modificationTime &* 1_000_000_000 &+ status.modificationNanoseconds
        } else {
            bases[base, default: Base(path: base)].contents.append(path)
        }
        bases[base]?.size += status.length
    }

    private func removeIfOld(_ path: String, _ old: Int64) {
        guard let status = FileStatus(of: path), status.modificationTime < old else { return }
        OutputFile.remove(path)
    }

    /// The time since which a file may still be written to, by the clock of the file system.
    private var oldTime: Int64 {
        let name = path + "/.tern-now"
        defer { OutputFile.remove(name) }
        try? OutputFile.replace(name, by: [])
        return FileStatus(of: name).map { $0.modificationTime - Self.maximumWriteTime } ?? .min
    }

    private func removeOrphans(_ old: Int64, _ bases: inout [String: Base]) {
        for base in bases.values where !base.contents.isEmpty {
            let names = Set((try? Self.records(base.path))?.records.records.map(\.contentName) ?? [])
            for path in base.contents where !names.contains(String(path.dropFirst(base.path.count + 1))) {
                guard let status = FileStatus(of: path), status.modificationTime < old else { continue }
                OutputFile.remove(path)
                bases[base.path]?.size -= status.length
            }
        }
    }

    /// Removes what is least recently used, to nine tenths of the capacity.
    private func makeRoom() {
        let capacity = capacity
        var (bases, usage) = scan()
        if usage <= capacity { return }
        bases.reverse()
        while usage > capacity / 10 * 9, let base = bases.popLast() {
            OutputFile.remove(base.path)
            for content in base.contents { OutputFile.remove(content) }
            usage -= base.size
        }
        state.withLock { $0.usage = usage }
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
