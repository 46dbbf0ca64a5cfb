// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the one system call it is passed to.
import CTernLinux
import TernLibC
import TernSystem

/// The result of stat(2) for a path.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable {
        case regular, folder, other
    }

    package let kind: Kind
    package let owner: UInt32
    package let group: UInt32
    package let permissions: UInt32
    /// The size in bytes, as the file system states it.
    package let length: Int64
    /// The number of hard links.
    package let linkCount: Int
    /// In whole seconds since 1970-01-01T00:00:00Z.
    package let modificationTime: Int64
    /// The part of a second that follows, in nanoseconds.
    package let modificationNanoseconds: Int64
    /// The number of the file on its file system, and that of the file system.
    package let inode: UInt64
    package let device: UInt64
    /// When content or attributes last changed, in nanoseconds since 1970-01-01T00:00:00Z.
    package let changeTime: Int64

    /// Follows symbolic links. Nil if nothing exists at the path, or stat(2) fails.
    package init?(of path: String) { self.init(of: path, followingLinks: true) }

    /// Of what is at the path itself: a symbolic link is neither a file nor a folder.
    package init?(ofLink path: String) { self.init(of: path, followingLinks: false) }

    private init?(of path: String, followingLinks follows: Bool) {
        var status = stat()
        let result = unsafe ByteText.withPath(path) {
            unsafe follows ? stat($0, &status) : lstat($0, &status)
        }
        guard result == 0 else { return nil }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        (owner, group) = (status.st_uid, status.st_gid)
        permissions = UInt32(status.st_mode) & 0o7777
        length = Int64(status.st_size)
        linkCount = Int(clamping: status.st_nlink)
        modificationTime = Int64(status.st_mtim.tv_sec)
        modificationNanoseconds = Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        changeTime = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }
}
