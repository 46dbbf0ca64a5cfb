// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that outlives the one system call it is passed to.
import CTernLinux
import TernLibC
import TernSystem

/// Operations on paths and folders.
package enum FilePath {
    /// The folder part of a path: `.` if the path has none.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A name in `folder` that cannot be guessed, for a file that is worthless while it is incomplete.
    package static func temporary(in folder: String) -> String {
        (folder.hasSuffix("/") ? folder : folder + "/") + ".tern-"
            + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// The same, in the folder of `target`, so that a rename can reach it.
    package static func temporary(beside target: String) -> String { temporary(in: folder(of: target)) }

    /// Whether the path is a symbolic link, also a dangling one.
    package static func isSymbolicLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe ByteText.withPath(path) { unsafe lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The path that a file is found at, or would be created at: symbolic links are followed, dangling ones as well, and
    /// the folder is resolved if it exists. A chain of more links than the kernel follows ends within itself.
    package static func followingLinks(from path: String) -> String {
        if let resolved = resolved(path) { return resolved }
        var path = path
        for _ in 0..<40 {
            guard !path.utf8.contains(0), let target = target(ofLink: path) else { break }
            path = target.utf8.first == UInt8(ascii: "/") ? target : folder(of: path) + "/" + target
        }
        return resolvingFolder(of: path)
    }

    /// Nil if the path is no symbolic link.
    static func target(ofLink path: String) -> String? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            let room = buffer.count
            count = unsafe ByteText.withPath(path) { unsafe max(0, readlink($0, base, room)) }
        }
        return bytes.isEmpty ? nil : ByteText.text(ofPath: bytes)
    }

    /// The path without links, `.` and `..`; nil if nothing exists there.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe ByteText.withPath(path, { unsafe realpath($0, nil) }) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe ByteText.text(ofPath: UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }

    /// The same path with its folder resolved, if that folder exists; the last component may be missing or a link.
    package static func resolvingFolder(of path: String) -> String {
        let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[cut...]
        if name.isEmpty || path.utf8.contains(0) { return path }
        guard let folder = resolved(folder(of: path)) else { return path }
        return (folder == "/" ? "" : folder) + "/" + name
    }

    /// Creates the folder and its missing parents, with these permissions less those of umask(2).
    package static func createFolder(_ path: String, permissions: UInt32 = 0o777) throws(SystemCallError) {
        if path.isEmpty || path == "/" || FileStatus(of: path)?.kind == .folder { return }
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        try createFolder(parent, permissions: permissions)
        do throws(SystemCallError) {
            _ = try SystemCall.run(.mkdir) { unsafe ByteText.withPath(path) { unsafe mkdir($0, mode_t(permissions)) } }
        } catch {
            // Another process may have created it first.
            guard error.code == EEXIST, FileStatus(of: path)?.kind == .folder else { throw error }
        }
    }
}
