// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the one system call it is passed to; paths hold no NUL.
import CTernLinux
import TernLibC
package import TernSystem

/// A regular file that is being written. It has a name, or gets one when it is complete. Every call may wait for the
/// disk.
///
/// One thread at a time may use it, but for `remove()`: the operations on its name take several system calls.
package final class OutputFile: Sendable {
    /// The path at which the file was created or opened. A temporary file need not have this name.
    package let path: String
    private let descriptor: Descriptor
    /// Whether the file disappears with its descriptor unless it is given a name.
    private let isNameless: Bool

    private init(path: String, descriptor: consuming Descriptor, isNameless: Bool = false) {
        self.path = path
        self.descriptor = descriptor
        self.isNameless = isNameless
    }

    /// Creates a file that is to `replace` another file, or to `moveIfAbsent`. It has no name until then and disappears
    /// with the process, however that ends. On a file system without nameless files it is created at `path`, where
    /// nothing may exist.
    package static func createTemporary(_ path: String, permissions: UInt32) throws(SystemCallError) -> OutputFile {
        if let file = nameless(path, permissions) { return file }
        return try create(path, permissions: permissions)
    }

    /// Nil if it cannot be created; creating a file with a name finds out why.
    private static func nameless(_ path: String, _ permissions: UInt32) -> OutputFile? {
        if path.utf8.contains(0) { return nil }
        let folder = FilePath.folder(of: path)
        let number = try? SystemCall.run(.open) {
            unsafe ByteText.withPath(folder) {
                unsafe TernLibC.open($0, O_RDWR | O_CLOEXEC | TERN_O_TMPFILE, mode_t(permissions))
            }
        }
        guard let number else { return nil }
        let file = OutputFile(path: path, descriptor: Descriptor(owning: number), isNameless: true)
        // Only /proc can give the file a name later.
        return unsafe access(file.pathInProc, F_OK) == 0 ? file : nil
    }

    /// The path of a file without a name.
    private var pathInProc: String { "/proc/self/fd/\(descriptor.rawValue)" }

    /// Gives a nameless file this name if it is free; else the error is `EEXIST`.
    private func link(to target: String) throws(SystemCallError) {
        _ = try SystemCall.run(.link) {
            unsafe ByteText.withPath(target) { unsafe linkat(AT_FDCWD, pathInProc, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) }
        }
    }

    /// Creates a file where nothing exists, with these permissions less those of umask(2).
    package static func create(_ path: String, permissions: UInt32) throws(SystemCallError) -> OutputFile {
        try open(path, O_RDWR | O_CREAT | O_EXCL, permissions)
    }

    /// Opens an existing file. Nil unless it is a regular file of this user with one name; does not follow a symbolic
    /// link.
    package static func openOwned(_ path: String) throws(SystemCallError) -> OutputFile? {
        let file = try open(path, O_RDWR)
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1 else { return nil }
        return file
    }

    /// Opens an existing file to overwrite it in place. Reading from it fails.
    static func openForWriting(_ path: String) throws(SystemCallError) -> OutputFile { try open(path, O_WRONLY) }

    static func open(
        _ path: String, _ flags: Int32, _ permissions: UInt32 = 0
    ) throws(SystemCallError) -> OutputFile {
        // C would cut the path off there and open another file.
        if path.utf8.contains(0) { throw .invalidPath }
        // O_NONBLOCK: a FIFO must not block. O_NOCTTY: a terminal must not become the controlling one.
        let number = try SystemCall.run(.open) {
            unsafe ByteText.withPath(path) {
                unsafe TernLibC.open($0, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode_t(permissions))
            }
        }
        return OutputFile(path: path, descriptor: Descriptor(owning: number))
    }

    private func status() throws(SystemCallError) -> stat {
        var status = stat()
        _ = try SystemCall.run(.fstat) { unsafe fstat(descriptor.rawValue, &status) }
        return status
    }

    /// The length in bytes.
    package var length: Int64 {
        get throws(SystemCallError) { Int64(try status().st_size) }
    }

    /// Locks the file for the life of this object. False if another process or object has locked it, or the file no
    /// longer has its name.
    package func lock() throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            _ = try SystemCall.run(.flock) { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) }
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
        return isAtPath
    }

    /// Ends the lock before the object ends.
    package func unlock() { _ = flock(descriptor.rawValue, LOCK_UN) }

    /// Whether `path` is this very file.
    package var isAtPath: Bool {
        var named = stat()
        guard unsafe ByteText.withPath(path, { unsafe lstat($0, &named) }) == 0, let own = try? status() else {
            return false
        }
        return named.st_dev == own.st_dev && named.st_ino == own.st_ino
    }

    /// Writes all of `bytes` at `offset`.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemCallError) {
        try BlockedSignal.fileSize.during { () throws(SystemCallError) in
            var written = 0
            while written < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                let result = try SystemCall.transfer(.pwrite) {
                    unsafe pwrite(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                }
                // Zero would repeat for ever.
                guard case .bytes(let count) = result else { throw SystemCallError(.pwrite, code: EIO) }
                written += count
            }
        }
    }

    /// Reads at most `buffer.count` bytes at `offset` and returns their count; 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Int {
        let result = try SystemCall.transfer(.pread) {
            unsafe pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        }
        guard case .bytes(let count) = result else { return 0 }
        return count
    }

    /// Shortens the file, or fills it up with zeros.
    package func truncate(to length: Int64) throws(SystemCallError) {
        _ = try SystemCall.run(.ftruncate) { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Lengthens the file to `length` with space that is reserved on the disk. Without room the file stays as it was.
    /// A file system that cannot reserve space is no error.
    func reserve(_ length: Int64) throws(SystemCallError) {
        let former = try self.length
        if length <= former { return }
        do throws(SystemCallError) {
            try BlockedSignal.fileSize.during { () throws(SystemCallError) in
                let code = posix_fallocate(descriptor.rawValue, off_t(former), off_t(length - former))
                if [ENOSPC, EDQUOT, EFBIG].contains(code) { throw SystemCallError(.posixFallocate, code: code) }
            }
        } catch {
            try truncate(to: former)
            throw error
        }
    }

    /// Sets the time of modification, in seconds since 1970. A file system without such a time is no error.
    package func setModificationTime(_ seconds: Int64) {
        Self.setModificationTime(seconds, ofDescriptor: descriptor.rawValue)
    }

    /// The same for another open file.
    package static func setModificationTime(_ seconds: Int64, ofDescriptor number: Int32) {
        let time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)
        let times = [time, time]
        _ = unsafe futimens(number, times)
    }

    /// Throws the errors that some file systems report only on close(2), such as a full disk. The file stays open.
    package func checkDeferredErrors() throws(SystemCallError) {
        let twin = try SystemCall.run(.close) { dup(descriptor.rawValue) }
        // close(2) frees the number also when it fails: it must not be repeated.
        guard close(twin) == 0 || errno == EINTR else { throw SystemCallError(.close, code: errno) }
    }

    /// Copies the permissions of the file it is to replace, and the owner where that is allowed. Returns whether both
    /// are the same now.
    @discardableResult
    package func copyAttributes(of other: FileStatus) -> Bool {
        guard let own = try? status() else { return false }
        var isSameOwner = own.st_uid == other.owner && own.st_gid == other.group
        if !isSameOwner { isSameOwner = fchown(descriptor.rawValue, other.owner, other.group) == 0 }
        // Not the set-id bits: writing clears them, too.
        return fchmod(descriptor.rawValue, mode_t(other.permissions & 0o777)) == 0 && isSameOwner
    }

    /// Renames the file to `target` in one step and replaces what was there. Fails if another file has taken this
    /// file's own name: that one must not replace the target.
    package func replace(_ target: String) throws(SystemCallError) {
        if target.utf8.contains(0) { throw SystemCallError(.rename, code: EINVAL) }
        if isNameless {
            do throws(SystemCallError) {
                return try link(to: target)
            } catch {
                guard error.isExistingFile else { throw error }
            }
            // Only a file with a name can replace another.
            try link(to: path)
        } else if !isAtPath {
            throw SystemCallError(.rename, code: ENOENT)
        }
        do throws(SystemCallError) {
            _ = try SystemCall.run(.rename) {
                unsafe ByteText.withPath(path) { path in
                    unsafe ByteText.withPath(target) { unsafe rename(path, $0) }
                }
            }
        } catch {
            if isNameless { Self.remove(path) }
            throw error
        }
    }

    /// Renames the file to `target` in one step if nothing exists there; else the error is `EEXIST`.
    package func moveIfAbsent(to target: String) throws(SystemCallError) {
        if target.utf8.contains(0) { throw SystemCallError(.link, code: EINVAL) }
        if isNameless { return try link(to: target) }
        if !isAtPath { throw SystemCallError(.link, code: ENOENT) }
        do throws(SystemCallError) {
            _ = try SystemCall.run(.link) {
                unsafe ByteText.withPath(path) { path in
                    unsafe ByteText.withPath(target) { unsafe TernLibC.link(path, $0) }
                }
            }
            Self.remove(path)
        } catch {
            // A file system without hard links: a check before the rename is the best there is.
            guard [EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(error.code) else { throw error }
            if FileStatus(ofLink: target) != nil { throw SystemCallError(.link, code: EEXIST) }
            try replace(target)
        }
    }

    /// Removes the file's name; the content is freed with the last descriptor. Safe on any thread.
    package func remove() {
        if isAtPath { Self.remove(path) }
    }

    /// Removes the name of a file that is no folder, if it exists.
    package static func remove(_ path: String) {
        _ = unsafe ByteText.withPath(path) { unsafe unlink($0) }
    }
}

extension OutputFile {
    /// Replaces the file at `path`, in one step, by one with this content that only its owner may read.
    package static func replace(_ path: String, by bytes: [UInt8]) throws(SystemCallError) {
        let file = try createTemporary(FilePath.temporary(beside: path), permissions: 0o600)
        defer { file.remove() }
        let written = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemCallError) in try unsafe file.write(bytes, at: 0) }
        }
        try written.get()
        try file.checkDeferredErrors()
        try file.replace(path)
    }
}

extension OutputFile {
    private static var pause: (milliseconds: Int, microseconds: UInt32) { (10, 10_000) }

    /// Opens the file at `path`, creates it for its owner if there is none, and locks it. Blocks while another process
    /// or object has it locked, for `limit` at most; nil then.
    ///
    /// Its holder may remove the file before it ends the lock, so that none is left behind: a file that has lost its name
    /// keeps no one out, and the next one of the name is taken.
    package static func locked(_ path: String, within limit: Duration) throws(SystemCallError) -> OutputFile? {
        for attempt in 0... {
            let file = try open(path, O_RDWR | O_CREAT, 0o600)
            if try file.lock() { return file }
            if .milliseconds(attempt * pause.milliseconds) >= limit { break }
            usleep(pause.microseconds)
        }
        return nil
    }
}
