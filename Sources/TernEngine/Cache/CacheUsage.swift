// SPDX-License-Identifier: Apache-2.0
// Safety: buffers are lent for one call.
import TernFiles
import TernLock
import TernSystem

/// How much is in a cache's folder, as its processes have noted it: nothing must be counted to know it.
struct CacheUsage: Sendable, Equatable {
    /// The size of all files, in bytes.
    var size: Int64
    /// The number of bytes written since the folder was measured.
    var written: Int64

    /// Adds to the size, or takes from it.
    mutating func add(_ count: Int64) {
        size = max(0, size.saturatingSum(count))
        written = written.saturatingSum(max(0, count))
    }
}

extension Int64 {
    /// The sum, or the nearest number that there is.
    func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? (other > 0 ? .max : .min) : sum
    }
}

/// How much room there is in a cache's folder: its capacity, and what its processes have noted in a file of the folder.
/// Where that file cannot be written, what this process knows. Blocks for the disk; any thread may use it.
final class CacheSpace: Sendable {
    /// How long another process may keep the file locked when a sweep has measured the folder.
    private static let timeout = Duration.seconds(1)

    private struct State {
        var capacity: Int64
        /// What the file would say, where it cannot; nil if nothing is known.
        var known: CacheUsage?
        /// What is not in the file yet, because another process was changing it.
        var pending: Int64 = 0
        /// The size of the files that are being written, and are noted already.
        var unfinished: Int64 = 0
        /// What was noted since the sweep began, and what was unfinished then.
        var noted: Int64 = 0
    }

    private let state: Lock<State>
    private let file: CacheUsageFile

    init(folder: String, capacity: Int64) {
        state = Lock(State(capacity: capacity))
        file = CacheUsageFile(folder: folder)
    }

    var capacity: Int64 {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// The folder is empty; or nothing is known of it.
    func begin(isEmpty: Bool) {
        let usage = isEmpty ? CacheUsage(size: 0, written: 0) : nil
        state.withLock { ($0.known, $0.pending) = (usage, 0) }
        OutputFile.remove(file.path)
        if isEmpty { _ = try? file.change { $0 = usage } }
    }

    /// The size of all files, in bytes; nil if no process has measured them.
    var size: Int64? { usage?.size }

    private var usage: CacheUsage? {
        let (known, pending) = state.withLock { ($0.known, $0.pending) }
        guard var usage = file.read() else { return known }
        usage.add(pending)
        return usage
    }

    /// Adds the size of files that are about to be written: a process that is killed has not forgotten them.
    func begin(_ size: Int64) {
        _ = note(size)
        state.withLock { $0.unfinished = $0.unfinished.saturatingSum(size) }
    }

    /// Those files are written; others, which they replace, are gone. Returns whether the folder must be swept.
    func finish(_ size: Int64, _ difference: Int64) -> Bool {
        state.withLock { $0.unfinished = $0.unfinished.saturatingSum(-size) }
        return note(difference)
    }

    /// Adds to the size of the folder. Returns whether the folder must be swept.
    func note(_ count: Int64) -> Bool {
        if count == 0 { return isSweepDue(at: state.withLock { $0.known }) }
        let change = state.withLock { state in
            defer { state.pending = 0 }
            state.noted = state.noted.saturatingSum(count)
            return state.pending.saturatingSum(count)
        }
        var usage: CacheUsage?
        let isNoted = try? file.change { known in
            known?.add(change)
            usage = known
        }
        let known = state.withLock { state in
            if isNoted != true { state.pending = state.pending.saturatingSum(change) }
            state.known?.add(count)
            if let usage { state.known = usage }
            return state.known
        }
        return isSweepDue(at: known)
    }

    /// Whether the folder must be swept: if its size is not known, or exceeds the capacity; and once as much has been
    /// written as it may hold, because what is noted drifts with each process that is killed.
    var isSweepDue: Bool { isSweepDue(at: usage) }

    private func isSweepDue(at usage: CacheUsage?) -> Bool {
        guard let usage else { return true }
        let capacity = capacity
        return usage.size > capacity || usage.written > capacity
    }

    /// Returns what the file says as a sweep begins.
    func sweepBegins() -> CacheUsage? {
        // What is not in the file yet is in the folder.
        state.withLock { ($0.pending, $0.noted) = (0, $0.unfinished) }
        return file.read()
    }

    /// A sweep has found, and left, files of this size. Returns whether more was stored meanwhile.
    func sweepEnded(_ size: Int64, since before: CacheUsage?) -> Bool {
        let noted = state.withLock { $0.noted }
        var usage = CacheUsage(size: max(0, size.saturatingSum(noted)), written: 0)
        _ = try? file.change(within: Self.timeout) { known in
            // What other processes have noted meanwhile may be more.
            let all = known.flatMap { known in before.map { known.size.saturatingSum(-$0.size) } } ?? noted
            usage.size = max(0, size.saturatingSum(max(noted, all)))
            known = usage
        }
        state.withLock { $0.known = usage }
        return noted > 0
    }
}

/// The file with the figures of a folder: one line of a fixed length, with a checksum, that is changed in place under a
/// lock. What a process notes before it is killed is counted; a file that cannot be read says nothing.
struct CacheUsageFile: Sendable {
    static let name = "tern-usage"
    private static let start = Array("\(name) 1 ".utf8)
    private static let digitCount = 19
    private static let length = start.count + 2 * (digitCount + 1) + 17

    let path: String

    init(folder: String) { path = "\(folder)/\(Self.name)" }

    /// Nil if the file does not say.
    func read() -> CacheUsage? {
        guard let file = try? InputFile(path), file.length == Self.length else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let count = unsafe bytes.withUnsafeMutableBytes { try? unsafe file.read(into: $0, at: 0) }
        return count == Self.length ? Self.usage(bytes) : nil
    }

    /// Changes what the file says: nil while it says nothing. Returns false if another process, or thread, is changing it for
    /// longer than this.
    func change(
        within limit: Duration = .zero, _ body: (inout CacheUsage?) -> Void
    ) throws(SystemCallError) -> Bool {
        guard let file = try OutputFile.locked(path, within: limit) else { return false }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemCallError) in try unsafe file.read(into: buffer, at: 0) }
        }
        let known = try read.get() == Self.length ? Self.usage(bytes) : nil
        var usage = known
        body(&usage)
        if usage == known { return true }
        let text = usage.map(Self.bytes) ?? []
        let written = unsafe text.withUnsafeBytes { text in
            Result { () throws(SystemCallError) in try unsafe file.write(text, at: 0) }
        }
        try written.get()
        if try file.length != Int64(text.count) { try file.truncate(to: Int64(text.count)) }
        return true
    }

    private static func bytes(_ usage: CacheUsage) -> [UInt8] {
        let line = start + digits(usage.size) + [0x20] + digits(usage.written) + [0x20]
        return line + CacheRecords.checksum(line[...]) + [0x0A]
    }

    private static func usage(_ bytes: [UInt8]) -> CacheUsage? {
        guard bytes.starts(with: start) else { return nil }
        let sizeEnd = start.count + digitCount
        let size = bytes[start.count..<sizeEnd]
        let written = bytes[(sizeEnd + 1)..<(sizeEnd + 1 + digitCount)]
        guard let size = number(size), let written = number(written) else { return nil }
        let usage = CacheUsage(size: size, written: written)
        return self.bytes(usage) == bytes ? usage : nil
    }

    private static func digits(_ number: Int64) -> [UInt8] {
        let digits = Array("\(max(0, number))".utf8)
        return Array(repeating: 0x30, count: digitCount - digits.count) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.allSatisfy { (0x30...0x39).contains($0) } ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    }
}
