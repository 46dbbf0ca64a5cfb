// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernSystem

/// One way through a cache's folder: measures it, and removes what processes that were killed have left and what was least
/// recently used. It has many steps, each of which looks at one of the folder's parts, and counts files rather than reading
/// them. Belongs to the queue that sweeps, hence `@unchecked Sendable`.
///
/// Nothing is followed out of the folder, and nothing is counted or removed that has not a name and a kind of the cache's
/// own.
final class CacheSweep: @unchecked Sendable {
    /// The files of one URL.
    private struct Base {
        /// When it was used, in nanoseconds; nil without records.
        var lastUse: Int64?
        var size: Int64 = 0
        var contents: [(path: String, name: String, status: FileStatus)] = []
    }

    private struct Measured {
        let key: String
        let lastUse: Int64
        let size: Int64
    }

    /// How old a file that belongs to no record must be, in seconds, for its writer to be gone.
    private static let maximumWriteTime: Int64 = 60

    /// The file that a process holds while it sweeps.
    static let lockName = ".tern-sweep"

    private let path: String
    /// The time since which a file may still be written to, by the clock of the file system.
    private let old: Int64
    private var unmeasured: [String]
    private var measured: [Measured] = []
    /// What is to be removed: the keys of URLs by part, and when each was used.
    private var evicted: [(part: String, keys: [String: Int64])] = []
    /// The size of what was found, less what has been removed.
    private(set) var size: Int64 = 0

    init(path: String) {
        self.path = path
        old = Self.oldTime(path)
        unmeasured = FilePath.names(in: path).filter { CacheFileName.isPart($0) }
        for name in FilePath.names(in: path) where CacheFileName.isTemporary(name) && name != Self.lockName {
            Self.removeIfOld("\(path)/\(name)", old)
        }
    }

    private static func oldTime(_ path: String) -> Int64 {
        let name = path + "/.tern-now"
        defer { OutputFile.remove(name) }
        try? OutputFile.replace(name, by: [])
        return FileStatus(ofLink: name).map { $0.modificationTime.saturatingSum(-maximumWriteTime) } ?? .min
    }

    private static func removeIfOld(_ path: String, _ old: Int64) {
        guard let status = FileStatus(ofLink: path), status.kind != .folder, status.modificationTime < old else {
            return
        }
        OutputFile.remove(path)
    }

    /// Measures the next part. Returns false if there is none.
    ///
    /// - Parameters:
    ///   - remove: removes those records of a URL that the program wants removed; nil if it wants none removed.
    ///   - contentNames: the names of the contents that the records of a URL have.
    func measureNext(remove: ((_ base: String) -> Void)?, contentNames: (_ base: String) -> Set<String>) -> Bool {
        guard let part = unmeasured.popLast() else { return false }
        let folder = "\(path)/\(part)"
        guard FileStatus(ofLink: folder)?.kind == .folder else { return true }
        if let remove {
            for name in FilePath.names(in: folder) where CacheFileName(name, in: part)?.kind == .records {
                remove("\(folder)/\(name)")
            }
        }
        var bases: [String: Base] = [:]
        for name in FilePath.names(in: folder) { note(name, part, &bases) }
        for (key, base) in bases {
            let size = base.size - removeOrphans(of: base) { contentNames("\(folder)/\(key)") }
            self.size = self.size.saturatingSum(size)
            measured.append(Measured(key: key, lastUse: base.lastUse ?? .min, size: size))
        }
        return true
    }

    private func note(_ text: String, _ part: String, _ bases: inout [String: Base]) {
        guard let name = CacheFileName(text, in: part) else { return }
        let path = "\(self.path)/\(part)/\(text)"
        guard let status = FileStatus(ofLink: path), status.kind == .regular else { return }
        if name.kind == .temporary || name.kind == .lock {
            if status.modificationTime < old { OutputFile.remove(path) }
            return
        }
        var base = bases[name.key] ?? Base()
        base.size = base.size.saturatingSum(status.length)
        if case .content(let content) = name.kind {
            base.contents.append((path, content, status))
        } else {
            base.lastUse = status.modificationNanosecondsSince1970
        }
        bases[name.key] = base
    }

    /// Removes content that a killed process has left. A URL with records and one content is taken to have it of one record:
    /// to read the records of all would cost more than the rare file that stays until its URL is evicted.
    private func removeOrphans(of base: Base, _ contentNames: () -> Set<String>) -> Int64 {
        guard base.contents.count > 1 || base.lastUse == nil else { return 0 }
        let names = base.lastUse == nil ? [] : contentNames()
        var removed: Int64 = 0
        for content in base.contents where !names.contains(content.name) && content.status.modificationTime < old {
            OutputFile.remove(content.path)
            removed = removed.saturatingSum(content.status.length)
        }
        return removed
    }

    /// Chooses what goes, once everything is measured: what is least recently used, if there is more than `capacity`, to nine
    /// tenths of that.
    func choose(capacity: Int64) {
        guard size > capacity else { return }
        var (left, keys) = (size, [String: [String: Int64]]())
        for base in measured.sorted(by: { $0.lastUse < $1.lastUse }) where left > capacity / 10 * 9 {
            keys[String(base.key.prefix(2)), default: [:]][base.key] = base.lastUse
            left -= base.size
        }
        evicted = keys.map { ($0, $1) }
        measured = []
    }

    /// Removes what was chosen of the next part, unless it was used meanwhile. Returns false if no part is left.
    func evictNext() -> Bool {
        guard let (part, keys) = evicted.popLast() else { return false }
        let folder = "\(path)/\(part)"
        guard FileStatus(ofLink: folder)?.kind == .folder else { return true }
        var used: Set<String> = []
        for (key, lastUse) in keys {
            let status = FileStatus(ofLink: "\(folder)/\(key)")
            if (status?.modificationNanosecondsSince1970 ?? .min) != lastUse { used.insert(key) }
        }
        var removed: Int64 = 0
        for text in FilePath.names(in: folder) {
            guard let name = CacheFileName(text, in: part), keys[name.key] != nil, !used.contains(name.key),
                name.kind != .lock, let status = FileStatus(ofLink: "\(folder)/\(text)"), status.kind == .regular
            else { continue }
            OutputFile.remove("\(folder)/\(text)")
            removed = removed.saturatingSum(status.length)
        }
        size = max(0, size - removed)
        return true
    }
}

/// The name of a file in a part of a cache's folder.
struct CacheFileName {
    enum Kind: Equatable {
        case records
        case content(String)
        /// Of a file that is being written.
        case temporary
        /// Of a file that a process holds while it changes records.
        case lock
    }

    /// The digest of the URL; empty for a temporary file.
    let key: String
    let kind: Kind

    /// Nil if the cache gives no file this name.
    init?(_ name: String, in part: String) {
        if Self.isTemporary(name) {
            (key, kind) = ("", .temporary)
            return
        }
        let bytes = Array(name.utf8)
        guard bytes.count >= 32, bytes.starts(with: part.utf8), bytes[..<32].allSatisfy(Self.isDigit) else {
            return nil
        }
        key = String(decoding: bytes[..<32], as: UTF8.self)
        let rest = bytes[32...]
        if rest.isEmpty {
            kind = .records
        } else if rest.elementsEqual(".lock".utf8) {
            kind = .lock
        } else if rest.first == UInt8(ascii: "-"), Self.isContent(rest.dropFirst()) {
            kind = .content(String(decoding: rest.dropFirst(), as: UTF8.self))
        } else {
            return nil
        }
    }

    /// Whether the name is one of the folder's parts.
    static func isPart(_ name: String) -> Bool { name.utf8.count == 2 && name.utf8.allSatisfy(isDigit) }

    static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(".tern-") && isContent(Array(name.utf8.dropFirst(6))[...])
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isContent(_ name: ArraySlice<UInt8>) -> Bool {
        !name.isEmpty && name.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }
}

extension FileStatus {
    fileprivate var modificationNanosecondsSince1970: Int64 {
        modificationTime &* 1_000_000_000 &+ modificationNanoseconds
    }
}
