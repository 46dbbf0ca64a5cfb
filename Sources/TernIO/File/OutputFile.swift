// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is to a value that lives as long as the one system call it is lent to; paths hold no NUL.
import CTernLinux
import Glibc

/// A regular file that is being written, and has a name, or will have one. Every call waits for the disk.
///
/// Used by one thread at a time: what it does with the name is not one step.
package final class OutputFile: Sendable {
    /// Where it was made or found. A draft need not be there.
    package let path: String
    private let descriptor: Descriptor
    /// Whether it goes with its descriptor unless it is given a name.
    private let isNameless: Bool

    private init(path: String, descriptor: consuming Descriptor, isNameless: Bool = false) {
        self.path = path
        self.descriptor = descriptor
        self.isNameless = isNameless
    }

    /// Makes a file that is to `replace` or `take` another name. Until then it has none, and is gone when this process
    /// is, however it ends; on a file system without such files it stands at `path`, where nothing may stand.
    package static func createDraft(_ path: String, permissions: UInt32) throws(SystemError) -> OutputFile {
        if let file = nameless(path, permissions) { return file }
        return try create(path, permissions: permissions)
    }

    /// Nil if there can be none; making a file with a name finds out why.
    private static func nameless(_ path: String, _ permissions: UInt32) -> OutputFile? {
        if path.utf8.contains(0) { return nil }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let made = try? SystemCall.run(.open) {
            unsafe Glibc.open(folder, O_RDWR | O_CLOEXEC | TERN_O_TMPFILE, mode_t(permissions))
        }
        guard let made else { return nil }
        let file = OutputFile(path: path, descriptor: Descriptor(owning: made), isNameless: true)
        // Without /proc it would never have a name.
        return unsafe access(file.door, F_OK) == 0 ? file : nil
    }

    /// Where a file without a name can be found.
    private var door: String { "/proc/self/fd/\(descriptor.rawValue)" }

    /// Gives a file without a name this one, if nothing has it; else the error is `EEXIST`.
    private func name(_ target: String) throws(SystemError) {
        _ = try SystemCall.run(.link) { unsafe linkat(AT_FDCWD, door, AT_FDCWD, target, AT_SYMLINK_FOLLOW) }
    }

    /// Makes a file where nothing stands, with these permissions less those that the process withholds (umask(2)).
    package static func create(_ path: String, permissions: UInt32) throws(SystemError) -> OutputFile {
        try open(path, O_CREAT | O_EXCL, permissions)
    }

    /// Opens one that is there. Nil if what is there is no regular file of this user's with this one name; a symbolic
    /// link is not followed.
    package static func openOwn(_ path: String) throws(SystemError) -> OutputFile? {
        // A FIFO would hold us up, and a terminal become ours.
        let file = try open(path, O_NONBLOCK | O_NOCTTY, 0)
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_nlink == 1 else { return nil }
        return file
    }

    private static func open(_ path: String, _ flags: Int32, _ permissions: UInt32) throws(SystemError) -> OutputFile {
        // To C the path would end there, and the file would be another one.
        if path.utf8.contains(0) { throw SystemError(.open, code: EINVAL) }
        let number = try SystemCall.run(.open) {
            unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, mode_t(permissions))
        }
        return OutputFile(path: path, descriptor: Descriptor(owning: number))
    }

    private func status() throws(SystemError) -> stat {
        var status = stat()
        _ = try SystemCall.run(.fstat) { unsafe fstat(descriptor.rawValue, &status) }
        return status
    }

    /// Its length in bytes.
    package var length: Int64 {
        get throws(SystemError) { Int64(try status().st_size) }
    }

    /// Locks the file until this object is gone, unless it is locked. False also if the file has lost its name, or
    /// another file has it.
    package func claim() throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try SystemCall.run(.flock) { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) }
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
        return isAtPath
    }

    /// Lets others have it.
    package func release() { _ = flock(descriptor.rawValue, LOCK_UN) }

    /// Whether the name is still its own.
    package var isAtPath: Bool {
        var named = stat()
        guard unsafe lstat(path, &named) == 0, let own = try? status() else { return false }
        return named.st_dev == own.st_dev && named.st_ino == own.st_ino
    }

    /// Writes all of `bytes` there.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        try BlockedSignal.fileSize.during { () throws(SystemError) in
            var written = 0
            while written < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                let result = try SystemCall.transfer(.pwrite) {
                    unsafe pwrite(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset) + off_t(written))
                }
                // No disk takes nothing and says nothing.
                guard case .bytes(let count) = result else { throw SystemError(.pwrite, code: EIO) }
                written += count
            }
        }
    }

    /// Reads at most `buffer.count` bytes that lie there; none at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        let result = try SystemCall.transfer(.pread) {
            unsafe pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset))
        }
        guard case .bytes(let count) = result else { return 0 }
        return count
    }

    /// Cuts it off, or fills it up with zeros.
    package func truncate(to length: Int64) throws(SystemError) {
        _ = try SystemCall.run(.ftruncate) { ftruncate(descriptor.rawValue, off_t(length)) }
    }

    /// Finds out what some file systems say only when a file is closed, such as that there was no room. It stays open.
    package func settle() throws(SystemError) {
        let twin = try SystemCall.run(.close) { dup(descriptor.rawValue) }
        // Whatever close(2) says, the number is free: it is not for repeating.
        guard close(twin) == 0 || errno == EINTR else { throw SystemError(.close, code: errno) }
    }

    /// Takes on the permissions of the file it is to replace, and its owner where that is allowed.
    package func takeAfter(_ other: FileStatus) {
        guard let own = try? status() else { return }
        if own.st_uid != other.owner || own.st_gid != other.group {
            _ = fchown(descriptor.rawValue, other.owner, other.group)
        }
        // Never its set-id bits: writing takes them away, too.
        _ = fchmod(descriptor.rawValue, mode_t(other.permissions & 0o777))
    }

    /// Gives the file that name in one step, whatever had it. Not if another file has got its own name: that is not to
    /// take the place.
    package func replace(_ target: String) throws(SystemError) {
        if target.utf8.contains(0) { throw SystemError(.rename, code: EINVAL) }
        if isNameless {
            do throws(SystemError) {
                return try name(target)
            } catch {
                guard error.isPresence else { throw error }
            }
            // Only a file with a name can replace another one.
            try name(path)
        } else if !isAtPath {
            throw SystemError(.rename, code: ENOENT)
        }
        do throws(SystemError) {
            _ = try SystemCall.run(.rename) { unsafe rename(path, target) }
        } catch {
            if isNameless { Self.remove(path) }
            throw error
        }
    }

    /// Gives the file that name in one step, if nothing has it; else the error is `EEXIST`.
    package func take(_ target: String) throws(SystemError) {
        if target.utf8.contains(0) { throw SystemError(.link, code: EINVAL) }
        if isNameless { return try name(target) }
        if !isAtPath { throw SystemError(.link, code: ENOENT) }
        do throws(SystemError) {
            _ = try SystemCall.run(.link) { unsafe link(path, target) }
            Self.remove(path)
        } catch {
            // A file system that has no links: looking first is the best there is.
            guard [EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(error.code) else { throw error }
            if FileStatus(of: target) != nil { throw SystemError(.link, code: EEXIST) }
            try replace(target)
        }
    }

    /// Removes the name; the file goes with the last descriptor of it.
    package func remove() {
        if isAtPath { Self.remove(path) }
    }

    /// Takes away the name of whatever is no folder. Nothing if there is none.
    package static func remove(_ path: String) { _ = unsafe unlink(path) }
}
