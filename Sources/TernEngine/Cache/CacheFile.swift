// SPDX-License-Identifier: Apache-2.0
// Safety: buffers are lent for one call, and offsets in them are checked. Stored content retains its file once, from the end of
// its `init` on, and has it released once, at its own end.
import TernFiles
import TernIO
import TernSystem

/// How content is stored in a file: the bytes, then a checksum for each of their blocks, then a trailer with the length.
/// A block is compared with its checksum before any of its bytes is delivered.
private enum CacheFileFormat {
    static let blockSize = 64 * 1024
    static let magic = Array("TernCch1".utf8)
    /// Magic, length, and the checksum of the table.
    static let trailerSize = 24

    static func blockCount(_ length: Int64) -> Int64 {
        length / Int64(blockSize) + (length % Int64(blockSize) > 0 ? 1 : 0)
    }

    static func size(_ length: Int64) -> Int64 {
        length.saturatingSum(8 * blockCount(length) + Int64(trailerSize))
    }

    static func tail(_ sums: [UInt64], _ length: Int64) -> [UInt8] {
        let table = sums.flatMap(bytes)
        return table + magic + bytes(UInt64(bitPattern: length))
            + bytes(sum(of: table, seed: UInt64(bitPattern: length)))
    }

    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    static func sum(of bytes: [UInt8], seed: UInt64) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe sum(of: $0, seed: seed) }
    }

    /// Two sums over eight lanes of 64 bits: a few bytes per cycle, and any bit that changes changes it.
    static func sum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var (first, second) = (SIMD8<UInt64>(repeating: seed | 1), SIMD8<UInt64>(0, 1, 2, 3, 4, 5, 6, 7))
        var offset = 0
        while offset + 64 <= bytes.count {
            first &+= unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
            second &+= first
            offset += 64
        }
        var rest = SIMD8<UInt64>(repeating: 0)
        var index = 0
        while offset < bytes.count {
            rest[index / 8] |= unsafe UInt64(bytes[offset]) << UInt64(index % 8 * 8)
            (offset, index) = (offset + 1, index + 1)
        }
        first &+= rest
        second &+= first
        var sum = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
        for lane in 0..<8 {
            sum = (sum ^ first[lane]) &* 0xFF51_AFD7_ED55_8CCD
            sum = (sum ^ sum >> 32 ^ second[lane]) &* 0xC4CE_B9FE_1A85_EC53
        }
        return sum ^ sum >> 29
    }
}

/// Why content cannot be read.
enum CacheFileError: Error {
    /// It was not written as a whole, or a block does not match its checksum.
    case damaged
    case system(SystemCallError)
}

extension CacheFileError: CustomStringConvertible {
    var description: String {
        switch self {
        case .damaged: "stored content is damaged"
        case .system(let error): "stored content cannot be read: \(error)"
        }
    }
}

/// Content that is being collected in a file. One thread at a time.
final class CacheFileWriter: @unchecked Sendable {
    private let file: OutputFile
    private var block: [UInt8] = []
    private var sums: [UInt64] = []
    /// The number of bytes in the file.
    private var length: Int64 = 0

    init(_ file: OutputFile) { self.file = file }

    deinit { file.remove() }

    /// The size of a file with content of this length.
    static func size(of length: Int64) -> Int64 { CacheFileFormat.size(length) }

    func write(_ bytes: Span<UInt8>) throws(SystemCallError) {
        var offset = 0
        while offset < bytes.count {
            if block.isEmpty { block.reserveCapacity(CacheFileFormat.blockSize) }
            let count = min(CacheFileFormat.blockSize - block.count, bytes.count - offset)
            unsafe bytes.extracting(offset..<(offset + count)).withUnsafeBufferPointer { part in
                unsafe block.append(contentsOf: part)
            }
            offset += count
            if block.count == CacheFileFormat.blockSize { try writeBlock() }
        }
    }

    private func writeBlock() throws(SystemCallError) {
        if block.isEmpty { return }
        sums.append(CacheFileFormat.sum(of: block, seed: UInt64(sums.count)))
        try append(block)
        length += Int64(block.count)
        block.removeAll(keepingCapacity: true)
    }

    private func append(_ bytes: [UInt8]) throws(SystemCallError) {
        let (file, length) = (file, length)
        let written = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemCallError) in try unsafe file.write(bytes, at: length) }
        }
        try written.get()
    }

    /// Writes what is left. Returns the complete file, which has no name.
    func finish() throws(SystemCallError) -> OutputFile {
        try writeBlock()
        try append(CacheFileFormat.tail(sums, length))
        try file.checkDeferredErrors()
        return file
    }

    /// The content so far.
    func readAll() throws -> [UInt8] {
        var content = [UInt8](repeating: 0, count: Int(clamping: length))
        var offset = 0
        while offset < content.count {
            let count = try unsafe content.withUnsafeMutableBytes { buffer in
                try unsafe file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]), at: Int64(offset))
            }
            if count == 0 { throw CacheFileError.damaged }
            offset += count
        }
        return content + block
    }
}

/// Stored content. Every call blocks for the disk. Any thread may call, and release it: the file is closed on the queue,
/// because closing one that was removed meanwhile frees its content.
@safe
final class CacheFile: Sendable {
    private let retainedFile: Unmanaged<InputFile>
    private let sums: [UInt64]
    /// The number of bytes.
    let length: Int64
    /// For threads that must not wait for the disk.
    let threads: WorkThreads

    /// Throws if there is no content of this length.
    init(_ path: String, length: Int64, threads: WorkThreads) throws(CacheFileError) {
        let file: InputFile
        do throws(SystemCallError) {
            file = try InputFile(path)
        } catch {
            throw .system(error)
        }
        guard length >= 0, length <= file.length, file.length == CacheFileFormat.size(length) else { throw .damaged }
        var tail = [UInt8](repeating: 0, count: Int(clamping: file.length - length))
        let count = tail.count
        let read = unsafe tail.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemCallError) in try unsafe file.read(into: buffer, at: length) }
        }
        guard case .success(count) = read else { throw .damaged }
        let table = tail.prefix(count - CacheFileFormat.trailerSize)
        sums = stride(from: 0, to: table.count, by: 8).map { start in
            (0..<8).reduce(0) { $0 | UInt64(table[start + $1]) << (8 * UInt64($1)) }
        }
        guard CacheFileFormat.tail(sums, length) == tail else { throw .damaged }
        (self.length, self.threads) = (length, threads)
        unsafe retainedFile = Unmanaged.passRetained(file)
    }

    deinit {
        let file = unsafe retainedFile
        threads.run { unsafe file.release() }
    }

    private var file: InputFile { unsafe retainedFile.takeUnretainedValue() }

    /// Reads bytes into the buffer, and returns their number: as many as there are, or fewer. Nothing that does not match
    /// its checksum is returned.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheFileError) -> Int {
        guard offset >= 0, offset < length, buffer.count > 0 else { return 0 }
        let blockSize = Int64(CacheFileFormat.blockSize)
        let available = Int(clamping: min(Int64(buffer.count), length - offset))
        // Whole blocks are read in place.
        if offset % blockSize == 0 {
            let isAtEnd = offset + Int64(available) == length
            let count = isAtEnd ? available : available - available % CacheFileFormat.blockSize
            if count > 0 {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                try unsafe readBlocks(into: part, at: offset)
                return count
            }
        }
        let start = offset - offset % blockSize
        var block = [UInt8](repeating: 0, count: Int(min(blockSize, length - start)))
        try readWhole(&block, at: start)
        let skipped = Int(offset - start)
        let count = min(available, block.count - skipped)
        for index in 0..<count { unsafe buffer[index] = block[skipped + index] }
        return count
    }

    /// Whether these bytes are as they were stored: reads them, a buffer at a time.
    func isIntact(_ range: Range<Int64>, reading buffer: inout [UInt8]) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = unsafe buffer.withUnsafeMutableBytes { try? unsafe read(into: $0, at: offset) }
            guard let count, count > 0 else { return false }
            offset += Int64(count)
        }
        return true
    }

    private func readWhole(_ block: inout [UInt8], at offset: Int64) throws(CacheFileError) {
        let read = unsafe block.withUnsafeMutableBytes { buffer in
            Result { () throws(CacheFileError) in try unsafe readBlocks(into: buffer, at: offset) }
        }
        try read.get()
    }

    private func readBlocks(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheFileError) {
        let count: Int
        do throws(SystemCallError) {
            count = try unsafe file.read(into: buffer, at: offset)
        } catch {
            throw .system(error)
        }
        guard count == buffer.count else { throw .damaged }
        var start = 0
        var index = Int(offset / Int64(CacheFileFormat.blockSize))
        while start < buffer.count {
            let end = min(start + CacheFileFormat.blockSize, buffer.count)
            let block = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
            guard unsafe CacheFileFormat.sum(of: block, seed: UInt64(index)) == sums[index] else { throw .damaged }
            (start, index) = (end, index + 1)
        }
    }

    /// The whole content.
    func readAll() throws -> [UInt8] {
        if length == 0 { return [] }
        var content = [UInt8](repeating: 0, count: Int(clamping: length))
        try readWhole(&content, at: 0)
        return content
    }
}
