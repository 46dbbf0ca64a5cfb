// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// A file that is read from: what is sent need not fit into memory. Reading waits for the disk where the page cache
/// does not have the bytes, so pieces should be small.
public struct FileSource: ~Copyable, Sendable {
    /// The open file, closed when the value ends.
    public let descriptor: Descriptor
    /// Its length in bytes when it was opened; it may have become longer or shorter since.
    public let size: Int64
    /// Whether it is a file with a length, and no directory, pipe or device.
    public let isRegularFile: Bool

    /// Opens the file at `path`, which must not contain a NUL. Never waits for the other end of a pipe.
    public init(path: String) throws(SystemCallError) {
        // To C the path would end there, and the file would be another one.
        if path.utf8.contains(0) { throw SystemCallError(.open, code: EINVAL) }
        // O_NONBLOCK is nothing to files and directories; a pipe without a writer would hold us up. Nor does a terminal
        // become ours.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = Descriptor(owning: try SystemCall.run(.open) { unsafe open(path, flags) })
        let raw = descriptor.rawValue
        var status = stat()
        _ = try SystemCall.run(.fstat) { unsafe fstat(raw, &status) }
        self.descriptor = descriptor
        size = Int64(status.st_size)
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads at most `buffer.count` bytes that lie at `offset`; room for none is no call. `.endOfStream`: nothing lies
    /// there, the file is not, or no longer, that long.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> IOResult {
        if buffer.count == 0 { return .wouldBlock }
        return try SystemCall.transfer(.pread) {
            unsafe pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        }
    }
}
