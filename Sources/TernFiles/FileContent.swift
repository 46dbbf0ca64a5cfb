// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the one system call it is passed to; the path holds no NUL.
import CTernLinux
import TernLibC
package import TernSystem

/// The content of a file that is read as a whole.
package enum FileContent {
    /// Returns the bytes of the regular file at `path`, links followed; nil if nothing exists there. Blocks.
    ///
    /// What was opened is what is asked for its kind and its length, and no more than `limit` bytes and one are read of
    /// a file that grows meanwhile: a path that leads elsewhere in between costs neither time nor memory.
    ///
    /// - Throws: `EFBIG` for more than `limit` bytes, `EINVAL` for what is no regular file.
    package static func read(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8]? {
        try readWithAccess(path, limit: limit)?.bytes
    }

    /// The same, with the permissions and the owner of the file that was read.
    package static func readWithAccess(
        _ path: String, limit: Int
    ) throws(SystemCallError) -> (bytes: [UInt8], permissions: UInt32, owner: UInt32)? {
        if path.utf8.contains(0) { throw .invalidPath }
        // O_NONBLOCK: a FIFO must not block. O_NOCTTY: a terminal must not become the controlling one.
        let number: Int32
        do throws(SystemCallError) {
            number = try SystemCall.run(.open) {
                unsafe ByteText.withPath(path) {
                    unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                }
            }
        } catch {
            if error.isMissingFile { return nil }
            throw error
        }
        let descriptor = Descriptor(owning: number)
        var status = stat()
        _ = try SystemCall.run(.fstat) { unsafe fstat(descriptor.rawValue, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemCallError(.open, code: EINVAL) }
        guard status.st_size <= limit else { throw SystemCallError(.open, code: EFBIG) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size) + 1)
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let (offset, wanted) = (off_t(bytes.count), min(chunk.count, limit + 1 - bytes.count))
            let result = try SystemCall.transfer(.pread) {
                unsafe chunk.withUnsafeMutableBytes { buffer in
                    unsafe pread(descriptor.rawValue, buffer.baseAddress, wanted, offset)
                }
            }
            guard case .bytes(let count) = result else {
                return (bytes, UInt32(status.st_mode) & 0o7777, status.st_uid)
            }
            bytes += chunk.prefix(count)
        }
        throw SystemCallError(.open, code: EFBIG)
    }
}
