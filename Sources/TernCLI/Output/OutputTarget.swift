// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is to a value that outlives the one system call it is passed to.
import TernLibC
import TernFiles

/// The kind of destination that `-o` names. Finding it out changes nothing.
enum OutputTarget {
    /// The option was not given: a terminal gets no control characters.
    case standardOutput
    /// A descriptor that the command inherited, such as that of `-`, /dev/stdout and /dev/fd/3.
    case descriptor(Int32)
    /// A device or a FIFO, which is written directly.
    case device(String)
    /// A regular file, or a path at which nothing exists. Links are resolved.
    case file(String)

    /// The number that the kernel follows.
    private static let maximumLinks = 40

    /// The regular file that would be written, whatever its path; nil for a target that is written directly.
    static func regularFile(_ path: String) -> String? {
        guard case .file(let place)? = try? OutputTarget(path: path) else { return nil }
        return FilePath.resolvingFolder(of: place)
    }

    init(path: String) throws(OutputError) {
        if path == "-" {
            self = .descriptor(STDOUT_FILENO)
            return
        }
        if path.isEmpty { throw OutputError(path, .isEmptyPath) }
        var place = path
        for _ in 0...Self.maximumLinks {
            if let number = Self.descriptor(named: place) {
                guard fcntl(number, F_GETFD) >= 0 else { throw .last(path) }
                self = .descriptor(number)
                return
            }
            guard let status = try Self.status(of: place) else {
                self = try Self.missing(place)
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK: place = try Self.target(of: place)
            case S_IFDIR: throw OutputError(path, .system(EISDIR))
            case S_IFSOCK: throw OutputError(path, .isSocket)
            case let kind:
                guard unsafe ByteText.withPath(place, { unsafe access($0, W_OK) }) == 0 else { throw .last(path) }
                self = kind == S_IFREG ? .file(place) : .device(place)
                return
            }
        }
        throw OutputError(path, .tooManyLinks)
    }

    /// Paths of open descriptors: the file behind one must be neither opened again nor replaced.
    private static func descriptor(named path: String) -> Int32? {
        if path == "/dev/stdout" { return STDOUT_FILENO }
        if path == "/dev/stderr" { return STDERR_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/\(getpid())/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count))
        }
        return nil
    }

    private static func status(of path: String) throws(OutputError) -> stat? {
        var status = stat()
        if unsafe ByteText.withPath(path, { unsafe lstat($0, &status) }) == 0 { return status }
        guard errno == ENOENT else { throw .last(path) }
        return nil
    }

    private static func target(of link: String) throws(OutputError) -> String {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            count = unsafe max(0, ByteText.withPath(link) { unsafe readlink($0, base, buffer.count) })
        }
        guard !bytes.isEmpty else { throw .last(link) }
        let target = ByteText.text(ofPath: bytes.map(UInt8.init(bitPattern:)))
        return target.hasPrefix("/") ? target : FilePath.folder(of: link) + "/" + target
    }

    private static func missing(_ path: String) throws(OutputError) -> OutputTarget {
        if path.hasSuffix("/") { throw OutputError(path, .system(EISDIR)) }
        guard unsafe ByteText.withPath(FilePath.folder(of: path), { unsafe access($0, W_OK | X_OK) }) == 0 else {
            throw .last(path)
        }
        return .file(path)
    }
}

/// Why a body cannot be written to its destination.
struct OutputError: ReportedFailure, CustomStringConvertible {
    enum Reason {
        /// errno(3).
        case system(Int32)
        case isSocket
        case isEmptyPath
        case tooManyLinks
        /// The reader did not come in time.
        case tooSlow
    }

    let path: String
    let reason: Reason

    var exitStatus: ExitStatus { .unwritable }

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// What errno(3) says now.
    static func last(_ path: String) -> OutputError { OutputError(path, .system(errno)) }

    var description: String {
        switch reason {
        case .system(let number): unsafe "cannot write \(path): \(String(cString: strerror(number)))"
        case .isSocket: "cannot write \(path): it is a socket"
        case .isEmptyPath: "cannot write: the path is empty"
        case .tooManyLinks: "cannot write \(path): too many symbolic links"
        case .tooSlow: "cannot write \(path): its reader did not open it in time"
        }
    }
}
