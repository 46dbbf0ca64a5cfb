// SPDX-License-Identifier: Apache-2.0
// Safety: the path is passed to one system call, which copies it; buffers outlive the call they are passed to.
import FoundationEssentials
import Glibc
import TernFiles

/// Writes a body, chunk by chunk, to its destination.
///
/// One thread at a time may use it.
final class BodySink {
    private enum State {
        /// Exits: descriptor, file.
        case unopened
        case descriptor(Int32)
        case file(FileReplacement, TemporaryFile)
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

    private let path: String?
    private let target: OutputTarget
    private var state = State.unopened
    private var terminal: TerminalBytes?

    /// - Parameter path: The file of `-o`; nil for standard output.
    init(path: String?) throws(OutputError) {
        self.path = path
        if let path {
            target = try OutputTarget(path: path)
        } else {
            target = .standardOutput
            if isatty(STDOUT_FILENO) == 1 { terminal = TerminalBytes() }
        }
    }

    /// Whether each write takes effect at once and cannot be undone.
    var isWrittenThrough: Bool {
        if case .file = target { false } else { true }
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
        case .descriptor(let number):
            do throws(StandardStreams.WriteError) {
                try StandardStreams.write(data, to: number)
            } catch {
                throw OutputError(path ?? "-", .system(error.number))
            }
        case .file(let file, _):
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
        guard case .file(let file, _) = state else { return }
        do throws(SystemCallError) {
            try file.commit()
        } catch {
            throw OutputError(path ?? "-", .system(error.code))
        }
    }

    /// Discards what was written to a file: the body will never be complete.
    func abandon() { state = .unopened }

    /// Looks at the path again, which may lead elsewhere by now.
    private func openPath() throws(OutputError) -> TemporaryFile? {
        guard let path else { return nil }
        switch try OutputTarget(path: path) {
        case .standardOutput, .descriptor: throw OutputError(path, .system(EBUSY))
        case .device(let path):
            let descriptor = unsafe ByteText.withPath(path) { unsafe Glibc.open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
            guard descriptor >= 0 else { throw .last(path) }
            state = .descriptor(descriptor)
            return nil
        case .file(let path):
            let temporary = TemporaryFile(beside: path)
            do throws(SystemCallError) {
                let file = try FileReplacement(of: path, path: temporary.path, fallbackPath: temporary.fallbackPath)
                state = .file(file, temporary)
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

/// Chooses the paths of the file that collects a body for `-o`, and removes the file if a signal ends the command.
///
/// Created before the file, because a signal may come at any time. Only file systems without nameless files have
/// something to remove.
final class TemporaryFile: Sendable {
    /// The path beside the target.
    let path: String
    /// The path for a target in a folder that cannot be written.
    let fallbackPath: String
    private let interruption: Interruption

    init(beside target: String) {
        path = FilePath.temporary(beside: target)
        fallbackPath = FilePath.temporary(in: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        // A closed reader is then an error of write(2), after which the command removes the file.
        _ = signal(SIGPIPE, SIG_IGN)
        interruption = Interruption { [path, fallbackPath] number in
            OutputFile.remove(path)
            OutputFile.remove(fallbackPath)
            Interruption.die(of: number)
        }
    }

    /// Removes the file, unless it has its final name.
    func remove() {
        OutputFile.remove(path)
        OutputFile.remove(fallbackPath)
    }
}
