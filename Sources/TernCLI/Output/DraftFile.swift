// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is to a value that lives as long as the one system call it is lent to.
import Foundation
import Glibc

/// What a regular file is to hold once it is whole. Until then the file is as it was.
///
/// The draft stands beside it and takes its name at the end, in one step. Where that would cut a hard link, give the
/// file to another owner, or is not allowed, the draft has no name and is copied into the file at the end; that is not
/// one step, but room for it is asked for first.
final class DraftFile {
    private let path: String
    private let descriptor: Int32
    private let isReplacing: Bool
    let unfinished: UnfinishedFile
    /// Nil where the draft has none.
    private var name: String?

    init(of path: String, existing: stat?) throws(OutputError) {
        self.path = path
        isReplacing = existing != nil
        let name = Self.newName(in: OutputTarget.folder(of: path))
        // Watched over before it is there: a signal may come at any time.
        unfinished = UnfinishedFile(path: name)
        let (descriptor, isNamed) = try Self.create(name, for: path, isReplacing: isReplacing)
        self.descriptor = descriptor
        self.name = isNamed ? name : nil
        if let existing, existing.st_nlink > 1 || !takesAfter(existing) { dropName() }
    }

    deinit {
        dropName()
        close(descriptor)
    }

    func write(_ data: Data) throws(OutputError) {
        do throws(StandardStreams.WriteError) {
            try StandardStreams.write(data, to: descriptor)
        } catch {
            throw OutputError(path, .system(error.number))
        }
    }

    /// Makes the file what the draft is.
    func commit() throws(OutputError) {
        // Some file systems tell only now that there was no room.
        let twin = dup(descriptor)
        guard twin >= 0, close(twin) == 0 else { throw .last(path) }
        if let name {
            if unsafe rename(name, path) == 0 {
                self.name = nil
                return
            }
            // Such as a file that something is mounted on, or a foreign one in a folder like /tmp.
            guard isReplacing, [EACCES, EPERM, EBUSY].contains(errno) else { throw .last(path) }
        }
        try copy()
    }

    private func dropName() {
        if name != nil { unfinished.remove() }
        name = nil
    }

    /// Gives the draft the owner and the permissions of the file; never its set-id bits, which writing takes away, too.
    private func takesAfter(_ existing: stat) -> Bool {
        var own = stat()
        guard unsafe fstat(descriptor, &own) == 0 else { return false }
        if own.st_uid != existing.st_uid || own.st_gid != existing.st_gid {
            guard fchown(descriptor, existing.st_uid, existing.st_gid) == 0 else { return false }
        }
        return fchmod(descriptor, existing.st_mode & 0o777) == 0
    }

    /// Where that is not allowed, one without a name, elsewhere.
    private static func create(
        _ name: String, for path: String, isReplacing: Bool
    ) throws(OutputError) -> (descriptor: Int32, isNamed: Bool) {
        // Until the file has its permissions, only its owner reads it.
        let mode: mode_t = isReplacing ? 0o600 : 0o666
        if let descriptor = create(name, mode) { return (descriptor, true) }
        guard isReplacing, [EACCES, EPERM, EROFS].contains(errno) else { throw .last(path) }
        let temporary = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let other = newName(in: temporary)
        guard let descriptor = create(other, mode) else { throw .last(temporary) }
        _ = unsafe unlink(other)
        return (descriptor, false)
    }

    /// A name that cannot be guessed.
    private static func newName(in folder: String) -> String {
        folder + "/.tern-" + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// No file that is there already.
    private static func create(_ name: String, _ mode: mode_t) -> Int32? {
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        return descriptor < 0 ? nil : descriptor
    }

    private func copy() throws(OutputError) {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw .last(path) }
        do throws(OutputError) {
            try copy(into: file)
        } catch {
            close(file)
            throw error
        }
        guard close(file) == 0 else { throw .last(path) }
    }

    private func copy(into file: Int32) throws(OutputError) {
        let length = lseek(descriptor, 0, SEEK_END)
        guard length >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw .last(path) }
        try reserve(length, in: file)
        while true {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 17) { buffer, count in
                count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty { break }
            do throws(StandardStreams.WriteError) {
                try StandardStreams.write(Data(piece), to: file)
            } catch {
                throw OutputError(path, .system(error.number))
            }
        }
        guard lseek(descriptor, 0, SEEK_CUR) == length, ftruncate(file, length) == 0 else { throw .last(path) }
    }

    /// Where there is no room for what is longer, the file stays as it was.
    private func reserve(_ length: off_t, in file: Int32) throws(OutputError) {
        let former = lseek(file, 0, SEEK_END)
        guard former >= 0 else { throw .last(path) }
        if length > former {
            let error = posix_fallocate(file, former, length - former)
            if [ENOSPC, EDQUOT, EFBIG].contains(error) {
                _ = ftruncate(file, former)
                throw OutputError(path, .system(error))
            }
        }
        guard lseek(file, 0, SEEK_SET) == 0 else { throw .last(path) }
    }
}
