// SPDX-License-Identifier: Apache-2.0
// Safety: the only pointer refers to `chunk`, for the length of one `read`, with `chunk`'s own size.
import TernLibC
import TernFiles

/// Reads a file or a pipe line by line, keeping one line at a time.
struct LineReader: ~Copyable {
    enum Line {
        case bytes([UInt8])
        /// More than `maximumLength` bytes; they have been skipped.
        case tooLong
    }

    /// Ten times the maximum that a server may send, or four bundles of a system's anchors. Reading more takes longer
    /// than one case may.
    static let maximumLength = 1 << 20

    private let descriptor: Int32
    private var chunk = [UInt8](repeating: 0, count: 256 << 10)
    private var position = 0
    private var end = 0
    private var isAtEnd = false

    /// - Parameter path: "-" is standard input.
    init(path: String) throws(InputError) {
        descriptor =
            path == "-" ? STDIN_FILENO : unsafe ByteText.withPath(path) { unsafe open($0, O_RDONLY | O_CLOEXEC) }
        if descriptor < 0 { throw InputError(path: path, number: errno) }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The next line, without its line break; nil at the end.
    ///
    /// - Parameter beforeWaiting: called before a read, which may wait for a pipe's writer.
    /// - Throws: `ReadError`, and the error of `beforeWaiting`.
    mutating func next(beforeWaiting: () throws -> Void) throws -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if position == end {
                try beforeWaiting()
                if try !fill() { return isTooLong ? .tooLong : line.isEmpty ? nil : .bytes(line) }
            }
            let newline = chunk[position..<end].firstIndex(of: UInt8(ascii: "\n"))
            let piece = chunk[position..<(newline ?? end)]
            position = newline.map { $0 + 1 } ?? end
            if line.count + piece.count > Self.maximumLength { isTooLong = true }
            if isTooLong { line = [] } else { line += piece }
            if newline != nil { return isTooLong ? .tooLong : .bytes(line) }
        }
    }

    private mutating func fill() throws(ReadError) -> Bool {
        if isAtEnd { return false }
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ReadError(number: errno) }
            (position, end, isAtEnd) = (0, count, count == 0)
            return count > 0
        }
    }

    /// The error number of a failed read.
    struct ReadError: Error, CustomStringConvertible {
        let number: Int32
        var description: String { unsafe String(cString: strerror(number)) }
    }
}
