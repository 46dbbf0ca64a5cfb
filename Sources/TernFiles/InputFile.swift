// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the one system call it is passed to; the path holds no NUL.
import CTernLinux
import TernLibC
package import TernSystem

/// A regular file that is read at offsets. Every call may wait for the disk. Any thread may use it.
package final class InputFile: Sendable {
    private let descriptor: Descriptor
    /// The size in bytes when it was opened.
    package let length: Int64

    /// Opens the file at `path`; links are not followed.
    ///
    /// - Throws: `ENOENT` if nothing exists there, `EINVAL` for what is no regular file.
    package init(_ path: String) throws(SystemCallError) {
        if path.utf8.contains(0) { throw .invalidPath }
        let number = try SystemCall.run(.open) {
            unsafe ByteText.withPath(path) {
                unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
            }
        }
        descriptor = Descriptor(owning: number)
        var status = stat()
        _ = try SystemCall.run(.fstat) { unsafe fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemCallError(.open, code: EINVAL) }
        length = Int64(status.st_size)
    }

    /// Reads until the buffer is full or the file ends. Returns the number of bytes.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let position = off_t(offset &+ Int64(count))
            let result = try SystemCall.transfer(.pread) {
                unsafe pread(descriptor.rawValue, rest.baseAddress, rest.count, position)
            }
            guard case .bytes(let read) = result, read > 0 else { break }
            count += read
        }
        return count
    }
}

extension FilePath {
    /// The names in a folder, without `.` and `..`, in no order; none if it cannot be read.
    package static func names(in folder: String) -> [String] {
        guard !folder.utf8.contains(0), let stream = unsafe ByteText.withPath(folder, { unsafe opendir($0) }) else {
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                    unsafe ByteText.text(ofPath: UnsafeBufferPointer(start: bytes, count: strnlen(bytes, 256)))
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Sets the time of modification to the present. Nothing if that fails.
    package static func touch(_ path: String) {
        _ = unsafe ByteText.withPath(path) { unsafe utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW) }
    }

    /// Creates a folder for its owner alone. False if something exists there.
    package static func createPrivateFolder(_ path: String) throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            _ = try SystemCall.run(.mkdir) { unsafe ByteText.withPath(path) { unsafe mkdir($0, 0o700) } }
            return true
        } catch {
            guard error.code == EEXIST else { throw error }
            return false
        }
    }

    /// The user that files of this process belong to.
    package static var user: UInt32 { geteuid() }
}
