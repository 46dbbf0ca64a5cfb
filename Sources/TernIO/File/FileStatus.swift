// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is to a value that lives as long as the one system call it is lent to.
import CTernLinux
import Glibc

/// What stands at a path.
package struct FileStatus: Sendable {
    /// What kind of thing it is.
    package enum Kind: Sendable {
        case regular, folder, other
    }

    package let kind: Kind
    package let owner: UInt32
    package let group: UInt32
    package let permissions: UInt32

    /// Follows links. Nil if there is nothing, or it cannot be found out.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            default: .other
            }
        (owner, group) = (status.st_uid, status.st_gid)
        permissions = UInt32(status.st_mode) & 0o7777
    }

    /// Whether a symbolic link stands there, wherever it leads.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The path without links, `.` and `..`; nil if nothing stands there.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(validatingCString: resolved)
    }

    /// The same place, its folder named without links, `.` and `..` if there is such a folder.
    package static func straightened(_ path: String) -> String {
        let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, name) = (String(path[..<cut]), path[cut...])
        if name.isEmpty || path.utf8.contains(0) { return path }
        guard let straight = resolved(folder.isEmpty ? "." : folder) else { return path }
        return (straight == "/" ? "" : straight) + "/" + name
    }

    /// Makes the folder, and those it stands in, where they are missing.
    package static func makeFolder(_ path: String) throws(SystemError) {
        if path.isEmpty || path == "/" || FileStatus(of: path)?.kind == .folder { return }
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        try makeFolder(parent)
        do throws(SystemError) {
            _ = try SystemCall.run(.mkdir) { unsafe mkdir(path, 0o777) }
        } catch {
            // Another process may have been quicker.
            guard error.code == EEXIST, FileStatus(of: path)?.kind == .folder else { throw error }
        }
    }
}
