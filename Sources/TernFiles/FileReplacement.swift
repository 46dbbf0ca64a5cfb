// SPDX-License-Identifier: Apache-2.0
// Safety: the chunk outlives the calls it is passed to.
import CTernLinux
import TernLibC
package import TernSystem

/// The future content of a regular file, which stays as it was until `commit()`.
///
/// A temporary file beside the target collects the content and replaces the target in one step. In three cases it
/// cannot: the target has other hard links, its owner cannot be kept, or its folder cannot be written. Then `commit()`
/// copies the content into the target. That is not one step, but it reserves the space first.
///
/// One thread at a time may use it.
package final class FileReplacement {
    private static let chunkSize = 1 << 17

    private let target: String
    private let isNew: Bool
    private let overwrites: Bool
    package private(set) var length: Int64 = 0
    /// The time of modification that the file gets, in seconds since 1970; nil for that of the last write.
    package var modificationTime: Int64?
    private let temporaryFile: OutputFile

    /// - Parameters:
    ///   - target: The path of a regular file, or of none, without symbolic links.
    ///   - path: The path for the temporary file, in the folder of the target.
    ///   - fallbackPath: The path to take if that folder cannot be written.
    ///   - newPermissions: The permissions of a target that does not exist yet, less those of umask(2).
    package init(
        of target: String, path: String, fallbackPath: String, newPermissions: UInt32 = 0o666
    ) throws(SystemCallError) {
        self.target = target
        let existing = FileStatus(of: target)
        isNew = existing == nil
        // Until the file has the permissions of the file it replaces, only its owner may read it.
        let permissions: UInt32 = existing == nil ? newPermissions : 0o600
        do throws(SystemCallError) {
            temporaryFile = try OutputFile.createTemporary(path, permissions: permissions)
        } catch {
            guard existing != nil, [EACCES, EPERM, EROFS].contains(error.code) else { throw error }
            temporaryFile = try OutputFile.createTemporary(fallbackPath, permissions: permissions)
            overwrites = true
            return
        }
        if let existing {
            overwrites = existing.linkCount > 1 || !temporaryFile.copyAttributes(of: existing)
        } else {
            overwrites = false
        }
    }

    deinit { temporaryFile.remove() }

    /// Appends `bytes`.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        try unsafe temporaryFile.write(bytes, at: length)
        length += Int64(bytes.count)
    }

    /// Makes the content that of the target.
    package func commit() throws(SystemCallError) {
        try temporaryFile.checkDeferredErrors()
        if let modificationTime { temporaryFile.setModificationTime(modificationTime) }
        if !overwrites {
            do throws(SystemCallError) {
                return try temporaryFile.replace(target)
            } catch {
                // A mount point, or another user's file in a folder like /tmp.
                guard !isNew, [EACCES, EPERM, EBUSY].contains(error.code) else { throw error }
            }
        }
        try overwrite()
    }

    /// Gives the content this name, where nothing may exist: else the error is `EEXIST`, and it may get another one.
    package func commitIfAbsent(to target: String) throws(SystemCallError) {
        try temporaryFile.checkDeferredErrors()
        if let modificationTime { temporaryFile.setModificationTime(modificationTime) }
        try temporaryFile.moveIfAbsent(to: target)
    }

    private func overwrite() throws(SystemCallError) {
        let file = try OutputFile.openForWriting(target)
        try file.reserve(length)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 1)
        defer { unsafe chunk.deallocate() }
        var offset: Int64 = 0
        while offset < length {
            let count = try unsafe temporaryFile.read(into: chunk, at: offset)
            if count == 0 { throw .unexpectedEndOfFile }
            try unsafe file.write(UnsafeRawBufferPointer(rebasing: chunk.prefix(count)), at: offset)
            offset += Int64(count)
        }
        try file.truncate(to: length)
        try file.checkDeferredErrors()
        if let modificationTime { file.setModificationTime(modificationTime) }
    }
}
