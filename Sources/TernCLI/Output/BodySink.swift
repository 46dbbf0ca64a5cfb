// SPDX-License-Identifier: Apache-2.0
// Safety: the path is passed to one system call, which copies it; buffers outlive the call they are passed to.
import FoundationEssentials
import TernLibC
import TernEngine
import TernFiles
import TernLock

/// How the file of a body is written.
struct FileRules: Sendable {
    /// What happens to a file that exists.
    enum Existing: Sendable {
        /// It is replaced when the body is complete.
        case replace
        /// The body is added to it as it arrives.
        case append
        /// It stays, and the new file gets a number behind its name, up to ``maximumNumber``.
        case number
        /// It stays, and the body is lost.
        case refuse
    }

    static let maximumNumber = 100

    var existing = Existing.replace
    /// Whether the server may name the file, in the folder of the path; such a file replaces none.
    var takesProposal = false
    /// Whether the file gets the time of the response's `Last-Modified`.
    var keepsTime = false
    /// Whether nothing is left of a body that breaks off.
    var removesOnError = false
    /// Whether a date that cannot be read is not reported.
    var isSilent = false
}

/// Writes a body, chunk by chunk, to its destination.
///
/// One thread at a time may use it.
final class BodySink {
    private enum State {
        /// Exits: descriptor, opened, file.
        case unopened
        /// One that the command inherited.
        case descriptor(Int32)
        /// A device, or a file to which the body is added. It is closed at the end.
        case opened(Int32)
        /// A file with this path when it is complete.
        case file(FileReplacement, TemporaryFile, path: String)
    }

    /// A body with a byte that a terminal executes instead of showing it.
    struct ControlCharacterInBody: ReportedFailure, CustomStringConvertible {
        var exitStatus: ExitStatus { .unwritable }

        let byte: UInt8

        var description: String {
            "the body holds a control character (byte 0x\(String(byte, radix: 16, uppercase: true))), which can mess up your "
                + "terminal: save it with -o FILE, or show it with -o -"
        }
    }

    /// The path of `-o`, or the one that the server proposed; nil for standard output.
    private(set) var path: String?
    private let target: OutputTarget
    private var rules: FileRules
    private var modificationTime: Int64?
    /// The length of a file to which the body is added.
    private var beginning: Int64 = 0
    private var state = State.unopened
    private var terminal: TerminalBytes?

    /// - Parameter path: The file of `-o`; nil for standard output.
    init(path: String?, _ rules: FileRules = FileRules()) throws(OutputError) {
        self.path = path
        self.rules = rules
        if let path {
            target = try OutputTarget(path: path)
        } else {
            target = .standardOutput
            if isatty(STDOUT_FILENO) == 1 { terminal = TerminalBytes() }
        }
    }

    /// What is written to.
    enum Kind {
        case standardOutput, file, other
    }

    var kind: Kind {
        switch target {
        case .standardOutput, .descriptor(STDOUT_FILENO): .standardOutput
        case .file: .file
        case .descriptor, .device: .other
        }
    }

    /// Whether each write takes effect at once and cannot be undone. What is added to a file can: the file has its length.
    var isWrittenThrough: Bool { if case .file = target { false } else { true } }

    /// Takes name and time of the file from the response, as the rules say.
    func describe(_ response: HTTPURLResponse) {
        if rules.keepsTime, let field = response.value(forHTTPHeaderField: "Last-Modified") {
            modificationTime = HTTPDate.seconds(field)
            if modificationTime == nil, !rules.isSilent {
                StandardStreams.tell(
                    "tern: -R: Last-Modified \"\(field.prefix(200))\" is no date: the file has the present time")
            }
        }
        guard rules.takesProposal, case .unopened = state, let path, let name = response.proposedFilename else {
            return
        }
        let hasFolder = path.utf8.contains(UInt8(ascii: "/")) || name == "-"
        self.path = hasFolder ? FilePath.folder(of: path) + "/" + name : name
        if rules.existing == .replace { rules.existing = .refuse }
    }

    /// Opens the destination. A FIFO blocks until its reader opens it.
    ///
    /// - Returns: The temporary file, which the caller removes if the body never becomes complete.
    func open() throws(OutputError) -> TemporaryFile? {
        switch target {
        case .standardOutput: state = .descriptor(STDOUT_FILENO)
        case .descriptor(let number): state = .descriptor(number)
        case .device, .file: return try openPath()
        }
        return nil
    }

    func write(_ data: Data) throws {
        try check(data)
        switch state {
        case .unopened: break
        case .descriptor(STDOUT_FILENO): try StandardStreams.write(data)
        case .descriptor(let number), .opened(let number):
            do throws(StandardStreams.WriteError) {
                try StandardStreams.write(data, to: number)
            } catch {
                throw OutputError(path ?? "-", .system(error.number))
            }
        case .file(let file, _, _):
            do {
                try unsafe data.withUnsafeBytes { try unsafe file.write($0) }
            } catch let error as SystemCallError {
                throw OutputError(path ?? "-", .system(error.code))
            }
        }
    }

    /// Completes the destination: the body is complete.
    func finish() throws(OutputError) {
        defer { state = .unopened }
        switch state {
        case .unopened, .descriptor: return
        case .opened(let number):
            if let modificationTime, rules.existing == .append {
                OutputFile.setModificationTime(modificationTime, ofDescriptor: number)
            }
            guard close(number) == 0 || errno == EINTR else { throw .last(path ?? "-") }
        case .file(let file, _, let target): try commit(file, target)
        }
    }

    private func commit(_ file: FileReplacement, _ target: String) throws(OutputError) {
        file.modificationTime = modificationTime
        do throws(SystemCallError) {
            switch rules.existing {
            case .replace, .append: try file.commit()
            case .refuse: try file.commitIfAbsent(to: target)
            case .number: try commitUnderFreeName(file, target)
            }
        } catch {
            throw OutputError(path ?? "-", .system(error.code))
        }
    }

    /// Another program may take a name that was free when the file was opened.
    private func commitUnderFreeName(_ file: FileReplacement, _ target: String) throws(SystemCallError) {
        for number in 0...FileRules.maximumNumber {
            let suffix = number == 0 ? "" : ".\(number)"
            do throws(SystemCallError) {
                try file.commitIfAbsent(to: target + suffix)
                if !suffix.isEmpty { path = (path ?? "") + suffix }
                return
            } catch {
                if !error.isExistingFile || number == FileRules.maximumNumber { throw error }
            }
        }
    }

    /// The body has broken off. As in curl, what has come of it is left where there is no file.
    func breakOff() {
        if case .file(let file, _, let target) = state, file.length > 0, !rules.removesOnError {
            if rules.existing == .number {
                try? commitUnderFreeName(file, target)
            } else {
                try? file.commitIfAbsent(to: target)
            }
        }
        abandon()
    }

    /// Discards what was written to a file, also if it was added to one. It can be opened again.
    func restart() throws(OutputError) {
        defer { abandon() }
        if case .opened(let number) = state, ftruncate(number, Int(beginning)) != 0 { throw .last(path ?? "-") }
    }

    /// Discards what was written to a file, unless it was added to one: the body will never be complete.
    func abandon() {
        if case .opened(let number) = state { close(number) }
        state = .unopened
    }

    /// Looks at the path again, which may lead elsewhere by now.
    private func openPath() throws(OutputError) -> TemporaryFile? {
        guard let path else { return nil }
        switch try OutputTarget(path: path) {
        case .standardOutput, .descriptor: throw OutputError(path, .system(EBUSY))
        case .device(let path):
            let descriptor = unsafe ByteText.withPath(path) {
                unsafe TernLibC.open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            }
            guard descriptor >= 0 else { throw .last(path) }
            state = .opened(descriptor)
            return nil
        case .file(let path) where rules.existing == .append:
            let descriptor = unsafe ByteText.withPath(path) {
                unsafe TernLibC.open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o666)
            }
            guard descriptor >= 0 else { throw .last(path) }
            state = .opened(descriptor)
            beginning = Int64(max(0, lseek(descriptor, 0, SEEK_END)))
            return nil
        case .file(let place):
            // A name that must be free is not free if it is a link, wherever that leads.
            let path = rules.existing == .replace ? place : path
            if rules.existing == .refuse, FileStatus(ofLink: path) != nil { throw OutputError(path, .system(EEXIST)) }
            let temporary = TemporaryFile(beside: path)
            do throws(SystemCallError) {
                let file = try FileReplacement(of: path, path: temporary.path, fallbackPath: temporary.fallbackPath)
                state = .file(file, temporary, path: path)
            } catch {
                throw OutputError(path, .system(error.code))
            }
            return temporary
        }
    }

    private func check(_ data: Data) throws(ControlCharacterInBody) {
        if let offset = terminal?.firstControl(in: data) {
            throw ControlCharacterInBody(byte: data[data.startIndex + offset])
        }
    }
}

/// Chooses the paths of the file that collects a body for `-o`. A signal that ends the command removes the files of all
/// that exist.
///
/// Created before the file, because a signal may come at any time, and kept until the file has its final name. Only file
/// systems without nameless files have something to remove.
final class TemporaryFile: Sendable {
    /// The path beside the target.
    let path: String
    /// The path for a target in a folder that cannot be written.
    let fallbackPath: String

    /// The paths of those that exist.
    private static let pending = Lock<Set<String>>([])
    /// One for all: a signal that is listened to twice would look ignored.
    private static let interruption = Interruption { _ in
        for path in pending.withLock({ $0 }) { OutputFile.remove(path) }
        return .death
    }

    init(beside target: String) {
        path = FilePath.temporary(beside: target)
        fallbackPath = FilePath.temporary(in: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        // A closed reader is then an error of write(2), after which the command removes the file.
        _ = signal(SIGPIPE, SIG_IGN)
        Self.pending.withLock { [path, fallbackPath] in $0.formUnion([path, fallbackPath]) }
        _ = Self.interruption
    }

    deinit { Self.pending.withLock { [path, fallbackPath] in $0.subtract([path, fallbackPath]) } }

    /// Removes the file, unless it has its final name.
    func remove() {
        OutputFile.remove(path)
        OutputFile.remove(fallbackPath)
    }
}
