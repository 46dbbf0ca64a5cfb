// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernIO
import TernTLS

/// The file of a download, from its first byte to its final name. A file at the target is unchanged until then.
///
/// Blocks on the disk. Used by one thread at a time.
final class DownloadFile {
    typealias Failure = SessionError.DownloadFailure

    /// Its source.
    struct Plan: Sendable {
        var place: DownloadDestination
        /// The existing partial file, and how much of it counts.
        var partialFile: (file: OutputFile, length: Int64)?
        /// Its resume data, if it can be resumed.
        var resumeData: ResumeData?
        /// What its content is verified against.
        var digest: (algorithm: DigestAlgorithm, value: [UInt8])?
    }

    private static let readAtOnce = 256 * 1024

    private var plan: Plan
    private var file: OutputFile?
    /// Without links.
    private var target: String?
    private var digest: MessageDigest?
    /// The resume data as written.
    private(set) var length: Int64 = 0
    /// Whether others may have written beyond the length.
    private var isShared = false

    init(_ plan: Plan) { self.plan = plan }

    /// Creates the file, or opens the partial file.
    func open() throws(Failure) {
        if let part = plan.place.part {
            (file, target, length) = (part.file.file, part.file.path, plan.partialFile?.length ?? 0)
            return
        }
        plan.place = plan.place.straightened
        if case .target(let path, let settings) = plan.place { target = try Self.prepare(path, settings) }
        try beginDigest()
        if let (file, length) = plan.partialFile {
            try attempt(file.path) { () throws(SystemCallError) in try file.truncate(to: length) }
            self.file = file
            try takeParts(upTo: length)
        } else {
            try create()
        }
        try writeNotes()
    }

    /// The content comes again from its beginning, as `plan` describes it: removes what was written.
    func restart(_ plan: Plan) throws(Failure) {
        guard let file else { return }
        try attempt(file.path) { () throws(SystemCallError) in try file.truncate(to: 0) }
        (length, isShared) = (0, false)
        (self.plan.resumeData, self.plan.digest) = (plan.resumeData, plan.digest)
        try beginDigest()
        try writeNotes()
    }

    private func beginDigest() throws(Failure) {
        digest = nil
        guard let (algorithm, value) = plan.digest else { return }
        guard value.count == algorithm.length else { throw .digestLength(algorithm, count: value.count) }
        digest = MessageDigest(algorithm == .sha256 ? .sha256 : .sha512)
    }

    /// Lets parts be written beyond the length; nil without a file. The resume data count what there is now: a process
    /// that is killed would leave holes behind.
    func share(on queue: SerialQueue) throws(Failure) -> SharedFile? {
        guard let file else { return nil }
        isShared = true
        try writeNotes(length)
        return SharedFile(file, path: target ?? file.path, on: queue)
    }

    /// The parts are written, up to this length.
    func takeParts(upTo end: Int64) throws(Failure) {
        guard let file, end > length else { return }
        if digest != nil {
            try unsafe read(file, length..<end) { bytes throws(Failure) in unsafe digest?.update(bytes) }
        }
        length = end
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard let file, plan.place.part?.file.isClosed != true else { return }
        try attempt(target ?? file.path) { () throws(SystemCallError) in try unsafe file.write(bytes, at: length) }
        unsafe digest?.update(bytes)
        length += Int64(bytes.count)
    }

    /// The content is complete: gives the file its name, and returns the path.
    func commit() throws(Failure) -> String {
        guard let file else { return "" }
        if let (algorithm, value) = plan.digest {
            let actual = digest.take()?.finish() ?? []
            guard actual == value else { throw .digestMismatch(algorithm, expected: value, actual: actual) }
        }
        try attempt(target ?? file.path) { () throws(SystemCallError) in try file.checkDeferredErrors() }
        guard let target, case .target(_, let settings) = plan.place else { return file.path }
        try move(file, to: target, settings.existingFile)
        OutputFile.remove(PartialFilePaths.notes(beside: file.path))
        self.file = nil
        // The partial file of an earlier download is now useless.
        if settings.isResumable { ResumeData.removePartialFile(at: PartialFilePaths(target: target).file) }
        return target
    }

    /// It will not be complete. Returns its resume data if it is to be and can be resumed, and removes it otherwise.
    ///
    /// - Parameter end: the length with the parts that continue it.
    func abandon(keepsPartialFile: Bool, upTo end: Int64?) -> ResumeData? {
        guard let file, plan.place.part == nil else { return nil }
        if let end { length = max(length, end) }
        let isWhole = !isShared || keepsPartialFile && omitParts()
        self.file = nil
        // A partial file that has lost its name would not be found again.
        if keepsPartialFile, isWhole, length > 0, file.isAtPath, let data = plan.resumeData {
            file.unlock()
            return data.kept(at: file.path, length)
        }
        file.remove()
        OutputFile.remove(PartialFilePaths.notes(beside: file.path))
        return nil
    }

    /// Removes what is written beyond the length. False if that fails.
    private func omitParts() -> Bool {
        guard let file, (try? file.truncate(to: length)) != nil else { return false }
        return (try? writeNotes()) != nil
    }

    /// Finds out early that the target cannot be a file.
    private static func prepare(_ path: String, _ settings: DownloadSettings) throws(Failure) -> String {
        if path.utf8.contains(0) { throw .file(.invalidPath, path: path) }
        if path.isEmpty || path.hasSuffix("/") { throw .notRegularFile(path: path) }
        guard let status = FileStatus(of: path) else {
            // A dangling link would be replaced rather than followed.
            if FilePath.isSymbolicLink(path) { throw .notRegularFile(path: path) }
            if settings.createsFolders, let slash = path.lastIndex(of: "/") {
                do throws(SystemCallError) {
                    try FilePath.createFolder(String(path[..<slash]))
                } catch {
                    throw .file(error, path: path)
                }
            }
            return path
        }
        if status.kind != .regular { throw .notRegularFile(path: path) }
        if settings.existingFile == .refuse { throw .exists(path: path) }
        return FilePath.resolved(path) ?? path
    }

    private func create() throws(Failure) {
        guard case .target(let path, let settings) = plan.place, let target else {
            guard case .temporary(let folder) = plan.place else { return }
            let path = PartialFilePaths.temporary(in: folder)
            try attempt(path) { () throws(SystemCallError) in file = try OutputFile.create(path, permissions: 0o600) }
            return
        }
        // Until the file has the permissions of the file it replaces, only its owner may read it.
        let permissions: UInt32 = FileStatus(of: target) == nil ? 0o666 : 0o600
        if settings.isResumable, plan.resumeData != nil,
            let file = openPartialFile(PartialFilePaths(target: path).file, permissions)
        {
            self.file = file
        } else {
            file = try createTemporary(of: target, permissions)
        }
    }

    /// Nil if another download has it.
    private func openPartialFile(_ path: String, _ permissions: UInt32) -> OutputFile? {
        let made = try? OutputFile.create(path, permissions: permissions)
        guard let file = made ?? (try? OutputFile.openOwned(path)), (try? file.lock()) == true,
            (try? file.truncate(to: 0)) != nil
        else { return nil }
        return file
    }

    private func createTemporary(of target: String, _ permissions: UInt32) throws(Failure) -> OutputFile {
        do throws(SystemCallError) {
            return try OutputFile.createTemporary(FilePath.temporary(beside: target), permissions: permissions)
        } catch {
            throw .file(error, path: target)
        }
    }

    /// Resume data never describes other content than the file's: until now the file was empty, or as described.
    ///
    /// - Parameter count: the length that counts; nil for that of the file.
    private func writeNotes(_ count: Int64? = nil) throws(Failure) {
        guard let file, case .target(let path, let settings) = plan.place,
            file.path == PartialFilePaths(target: path).file
        else { return }
        let notes = PartialFilePaths.notes(beside: file.path)
        guard settings.isResumable, let data = plan.resumeData?.kept(at: file.path, count).data else {
            return OutputFile.remove(notes)
        }
        try attempt(notes) { () throws(SystemCallError) in
            let draft = try OutputFile.createTemporary(FilePath.temporary(beside: notes), permissions: 0o600)
            do throws(SystemCallError) {
                try unsafe Array(data).span.bytes.withUnsafeBytes { bytes throws(SystemCallError) in
                    try unsafe draft.write(bytes, at: 0)
                }
                try draft.replace(notes)
            } catch {
                draft.remove()
                throw error
            }
        }
    }

    private func move(
        _ file: OutputFile, to target: String, _ existing: DownloadSettings.ExistingFile
    ) throws(Failure) {
        if let status = FileStatus(of: target) {
            if status.kind != .regular { throw .notRegularFile(path: target) }
            file.copyAttributes(of: status)
        }
        do throws(SystemCallError) {
            switch existing {
            case .replace: try file.replace(target)
            case .refuse: try file.moveIfAbsent(to: target)
            }
        } catch {
            if error.isOtherFileSystem { return try copy(file, to: target, existing) }
            if error.isExistingFile, existing == .refuse { throw .exists(path: target) }
            throw .file(error, path: target)
        }
    }

    /// For a partial file on another file system.
    private func copy(
        _ file: OutputFile, to target: String, _ existing: DownloadSettings.ExistingFile
    ) throws(Failure) {
        let twin = try createTemporary(of: target, FileStatus(of: target) == nil ? 0o666 : 0o600)
        do throws(Failure) {
            var offset: Int64 = 0
            try unsafe read(file, 0..<length) { bytes throws(Failure) in
                try attempt(target) { () throws(SystemCallError) in try unsafe twin.write(bytes, at: offset) }
                offset += Int64(bytes.count)
            }
            try attempt(target) { () throws(SystemCallError) in try twin.checkDeferredErrors() }
            try move(twin, to: target, existing)
        } catch {
            twin.remove()
            throw error
        }
        file.remove()
    }

    private func read(
        _ file: OutputFile, _ range: Range<Int64>, _ take: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = ReceiveMemory(capacity: Self.readAtOnce)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let most = Int(min(Int64(Self.readAtOnce), range.upperBound - offset))
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.room.prefix(most))
            var count = 0
            try attempt(file.path) { () throws(SystemCallError) in count = try unsafe file.read(into: room, at: offset)
            }
            // It is shorter than a moment ago, or memory ran out.
            if count == 0 { throw .file(.unexpectedEndOfFile, path: file.path) }
            try unsafe take(UnsafeRawBufferPointer(rebasing: room.prefix(count)))
            offset += Int64(count)
        }
    }

    private func attempt(_ path: String, _ work: () throws(SystemCallError) -> Void) throws(Failure) {
        do throws(SystemCallError) {
            try work()
        } catch {
            throw .file(error, path: path)
        }
    }
}
