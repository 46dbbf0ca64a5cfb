// SPDX-License-Identifier: Apache-2.0
// Safety: buffers are lent for one call.
import TernFiles
import TernLock
import TernSystem

/// What the processes of a cache's folder have noted of it: nothing must be counted to know it.
struct CacheUsage: Sendable, Equatable {
    /// The size of all files, in bytes; nil if no process has measured them.
    var size: Int64?
    /// The number of bytes written since then.
    var written: Int64 = 0
    /// Another number after each time that a program, or a request, had responses removed.
    var removals = Int64.random(in: 0 ... .max)

    /// Adds to the size, or takes from it.
    mutating func add(_ count: Int64) {
        size = size.map { max(0, $0.saturatingSum(count)) }
        written = written.saturatingSum(max(0, count))
    }

    mutating func addRemoval() { removals = removals == .max ? 0 : removals + 1 }
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
        /// What the file said last, and this process has changed since; nil before the first time.
        var known: CacheUsage?
        /// What is not in the file yet, because another process was changing it.
        var pending: Int64 = 0
        var isRemovalPending = false
        /// The size of the files that are being written, and are noted already.
        var unfinished: Int64 = 0
        /// What was noted since the sweep began, and what was unfinished then.
        var noted: Int64 = 0
        /// Up to which removal this process knows; nil if the file did not say.
        var removals: Int64?
        var haveOthersRemoved = false

        /// The file says this.
        mutating func learn(removals: Int64?) {
            guard let removals else { return }
            if let known = self.removals, known != removals { haveOthersRemoved = true }
            self.removals = removals
        }
    }

    private let state: Lock<State>
    private let file: CacheUsageFile

    init(folder: String, capacity: Int64) {
        file = CacheUsageFile(folder: folder)
        state = Lock(State(capacity: capacity))
    }

    var capacity: Int64 {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// The folder is known to be one of a cache.
    func open() {
        let removals = file.read()?.removals
        state.withLock { $0.removals = removals }
    }

    /// The folder is made one of a cache: it is empty; or nothing is known of it.
    func begin(isEmpty: Bool) {
        OutputFile.remove(file.path)
        let usage = CacheUsage(size: isEmpty ? 0 : nil)
        _ = try? file.change { $0 = usage }
        state.withLock { ($0.known, $0.pending) = (usage, 0) }
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
    ///
    /// - Parameter isRemoval: whether other processes must hear of what was removed.
    func note(_ count: Int64, isRemoval: Bool = false) -> Bool {
        let (change, isRemoval) = state.withLock { state in
            defer { (state.pending, state.isRemovalPending) = (0, false) }
            state.noted = state.noted.saturatingSum(count)
            return (state.pending.saturatingSum(count), state.isRemovalPending || isRemoval)
        }
        var before: Int64?
        var usage: CacheUsage?
        let isNoted =
            change == 0 && !isRemoval
            ? false
            : try? file.change { file in
                before = file.removals
                file.add(change)
                if isRemoval { file.addRemoval() }
                usage = file
            }
        let known = state.withLock { state in
            if let usage, isNoted == true {
                state.learn(removals: before)
                state.removals = usage.removals
                state.known = usage
            } else {
                state.pending = state.pending.saturatingSum(change)
                state.isRemovalPending = state.isRemovalPending || isRemoval
                state.known?.add(count)
                // The file cannot be written.
                if isNoted == nil, state.known == nil { state.known = CacheUsage() }
            }
            return state.known
        }
        return known.map { isSweepDue(at: $0) } ?? false
    }

    /// Whether another process has had responses removed since the last time that this was asked.
    var haveOthersRemoved: Bool {
        let removals = file.read()?.removals
        return state.withLock { state in
            state.learn(removals: removals)
            defer { state.haveOthersRemoved = false }
            return state.haveOthersRemoved
        }
    }

    /// Whether the folder must be swept: if its size is not known, or exceeds the capacity; and once as much has been
    /// written as it may hold, because what is noted drifts with each process that is killed.
    var isSweepDue: Bool { usage.map { isSweepDue(at: $0) } ?? true }

    private func isSweepDue(at usage: CacheUsage) -> Bool {
        let capacity = capacity
        return usage.size.map { $0 > capacity } ?? true || usage.written > capacity
    }

    /// Returns what the file says as a sweep begins.
    func sweepBegins() -> CacheUsage? {
        // What is not in the file yet is in the folder.
        state.withLock { ($0.pending, $0.noted) = (0, $0.unfinished) }
        return file.read()
    }

    /// A sweep has found, and left, files of this size.
    func sweepEnded(_ size: Int64, since before: CacheUsage?) {
        let noted = state.withLock { $0.noted }
        var measured = CacheUsage(size: max(0, size.saturatingSum(noted)))
        _ = try? file.change(within: Self.timeout) { file in
            // What other processes have noted meanwhile may be more.
            let all = file.size.flatMap { size in before?.size.map { size.saturatingSum(-$0) } } ?? noted
            (file.size, file.written) = (max(0, size.saturatingSum(max(noted, all))), 0)
            measured = file
        }
        state.withLock { $0.known = measured }
    }
}

/// The file with the figures of a folder: one line of a fixed length, with a checksum, that is changed in place under a
/// lock. What a process notes before it is killed is counted; a file that cannot be read says nothing.
struct CacheUsageFile: Sendable {
    static let name = "tern-usage"
    private static let start = Array("\(name) 1".utf8)
    private static let digitCount = 19
    private static let length = start.count + 3 * (1 + digitCount) + 18

    let path: String

    init(folder: String) { path = "\(folder)/\(Self.name)" }

    /// Nil if the file says nothing.
    func read() -> CacheUsage? {
        guard let file = try? InputFile(path), file.length == Self.length else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let count = unsafe bytes.withUnsafeMutableBytes { try? unsafe file.read(into: $0, at: 0) }
        return count == Self.length ? Self.usage(bytes) : nil
    }

    /// Changes what the file says: an unknown size, if it says nothing. Returns false if another process, or thread, is
    /// changing it for longer than this.
    func change(
        within limit: Duration = .zero, _ body: (inout CacheUsage) -> Void
    ) throws(SystemCallError) -> Bool {
        guard let file = try OutputFile.locked(path, within: limit) else { return false }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let read = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemCallError) in try unsafe file.read(into: buffer, at: 0) }
        }
        let isWhole = try read.get() == Self.length
        var usage = (isWhole ? Self.usage(bytes) : nil) ?? CacheUsage()
        body(&usage)
        let text = Self.bytes(usage)
        if text == bytes { return true }
        let written = unsafe text.withUnsafeBytes { text in
            Result { () throws(SystemCallError) in try unsafe file.write(text, at: 0) }
        }
        try written.get()
        if try file.length != Int64(text.count) { try file.truncate(to: Int64(text.count)) }
        return true
    }

    private static func bytes(_ usage: CacheUsage) -> [UInt8] {
        let numbers = [usage.size.map(digits) ?? unknown, digits(usage.written), digits(usage.removals)]
        let line = numbers.reduce(start) { $0 + [0x20] + $1 } + [0x20]
        return line + CacheRecords.checksum(line[...]) + [0x0A]
    }

    /// Nil if the bytes are no others than these numbers make.
    private static func usage(_ bytes: [UInt8]) -> CacheUsage? {
        let parts = (0..<3).map { index in
            let first = start.count + 1 + index * (digitCount + 1)
            return bytes[first..<(first + digitCount)]
        }
        guard let written = number(parts[1]), let removals = number(parts[2]) else { return nil }
        let usage = CacheUsage(size: number(parts[0]), written: written, removals: removals)
        return self.bytes(usage) == bytes ? usage : nil
    }

    private static let unknown = [UInt8](repeating: UInt8(ascii: "-"), count: digitCount)

    private static func digits(_ number: Int64) -> [UInt8] {
        let digits = Array("\(max(0, number))".utf8)
        return Array(repeating: 0x30, count: digitCount - digits.count) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.allSatisfy { (0x30...0x39).contains($0) } ? Int64(String(decoding: digits, as: UTF8.self)) : nil
    }
}
