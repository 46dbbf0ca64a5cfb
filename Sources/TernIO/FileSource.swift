// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A file to read from, so that a body need not fit into memory. Reading blocks if the page cache does not have the
/// bytes, so read small chunks.
public struct FileSource: ~Copyable, Sendable {
    /// The open file, closed when the value ends.
    public let descriptor: Descriptor
    /// The length in bytes when the file was opened; it may have changed since.
    public let size: Int64
    /// Whether it is a regular file rather than a directory, pipe or device.
    public let isRegularFile: Bool

    /// Opens the file at `path`, which must not contain a NUL. Never blocks on a pipe.
    public init(path: String) throws(SystemCallError) {
        // C would cut the path off there and open another file.
        if path.utf8.contains(0) { throw SystemCallError(.open, code: EINVAL) }
        // O_NONBLOCK: a pipe without a writer must not block; files and directories ignore it. O_NOCTTY: a terminal
        // must not become the controlling one.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = Descriptor(
            owning: try SystemCall.run(.open) {
                unsafe ByteText.withPath(path) { unsafe open($0, flags) }
            })
        let raw = descriptor.rawValue
        var status = stat()
        _ = try SystemCall.run(.fstat) { unsafe fstat(raw, &status) }
        self.descriptor = descriptor
        size = Int64(status.st_size)
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads at most `buffer.count` bytes at `offset`; an empty buffer makes no system call. `.endOfStream` if `offset`
    /// is at or beyond the file's current end.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> IOResult {
        if buffer.count == 0 { return .wouldBlock }
        return try SystemCall.transfer(.pread) {
            unsafe pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }
}
