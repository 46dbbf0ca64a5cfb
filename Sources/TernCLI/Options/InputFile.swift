// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that lives as long as the one system call it is lent to, with that value's own
// size.
import FoundationEssentials
import TernLibC
import TernEngine
import TernFiles
import TernIO
import TernLock

/// A file that an option reads; `-` is standard input.
enum InputFile {
    /// The most that a file of settings may have, such as one of options, fields, certificates or passwords, in bytes.
    static let maximumLength = 64 << 20
    /// The most that a file of content may have that is held in memory, in bytes: as in curl. `-T` and `-F` hold none.
    static let maximumContentLength = 1 << 30

    /// - Throws: a failure that names the option.
    static func read(_ path: String, for option: String, limit: Int = maximumLength) throws -> Data {
        do throws(InputError) {
            return try contents(of: path, limit: limit)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error)")
        }
    }

    /// - Parameter path: "-" is standard input.
    /// - Throws: also for a file that is longer, a sparse one or a device without end.
    static func contents(of path: String, limit: Int = maximumLength) throws(InputError) -> Data {
        if path != "-", let status = FileStatus(of: path), status.kind == .regular, status.length > limit {
            throw InputError(path: path, .tooLong(limit: limit))
        }
        let contents = try InputDescriptor().beginning(of: path, limit)
        if contents.count > limit { throw InputError(path: path, .tooLong(limit: limit)) }
        return contents
    }

    /// A second reader of standard input would find it empty.
    static func checkStandardInput(_ inputs: [String]) throws {
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw UsageError("\"-\" is given more than once, and standard input can be read only once")
        }
    }
}

/// Reads a file from beginning to end, opened for the first chunk. Belongs to its queue, or to
/// one caller, hence `@unchecked Sendable`.
final class InputDescriptor: @unchecked Sendable {
    private let queue = SerialQueue()
    private var descriptor: Int32?

    deinit {
        if let descriptor, descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Nil at the end.
    func piece(of path: String, _ size: Int) throws(InputError) -> Data? {
        let descriptor = try opened(path)
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
                count = unsafe read(descriptor, buffer.baseAddress, size)
                initialized = max(0, count)
            }
            if count >= 0 { return bytes.isEmpty ? nil : Data(bytes) }
            if errno != EINTR { throw InputError(path: path, number: errno) }
        }
    }

    /// At most 64 KB, read on the queue; nil at the end.
    func nextPiece(of path: String) async throws -> Data? {
        try await queue.result { try self.piece(of: path, 64 * 1024) }
    }

    /// All of it, or of what is longer than `limit` the first bytes, more than `limit`.
    // Not inlined: with the object and the typed error in one function, the compiler of Swift 6.3.1 puts the object onto the
    // stack and releases it as if it were not there.
    @inline(never)
    func beginning(of path: String, _ limit: Int) throws(InputError) -> Data {
        var contents = Data()
        while contents.count <= limit, let piece = try piece(of: path, 1 << 18) { contents.append(piece) }
        return contents
    }

    private func opened(_ path: String) throws(InputError) -> Int32 {
        if let descriptor { return descriptor }
        let new =
            path == "-"
            ? STDIN_FILENO : unsafe ByteText.withPath(path) { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
        if new < 0 { throw InputError(path: path, number: errno) }
        descriptor = new
        return new
    }
}

/// Why a body cannot be read completely.
struct InputError: ReportedFailure, CustomStringConvertible {
    enum Reason {
        /// errno(3).
        case system(Int32)
        /// In bytes.
        case tooLong(limit: Int)
    }

    let path: String
    let reason: Reason

    init(path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

    init(path: String, number: Int32) { self.init(path: path, .system(number)) }

    /// Whether nothing exists there.
    var isMissingFile: Bool { if case .system(ENOENT) = reason { true } else { false } }

    var exitStatus: ExitStatus { .unreadable }

    var description: String {
        let name = path == "-" ? "standard input" : path
        return switch reason {
        case .system(let number): unsafe "cannot read \(name): \(String(cString: strerror(number)))"
        case .tooLong(let limit): "\(name) is longer than \(limit >> 20) MB"
        }
    }
}

/// The content that an option names: a file, or a source that can be read once, such as standard input or a FIFO.
struct Upload {
    let path: String
    /// Nil if it is no regular file, whose length is known.
    let length: Int?

    /// - Parameters:
    ///   - option: the one that names it; nil for an operand.
    ///   - isChunked: whether the length is not announced even if it is known.
    /// - Throws: a failure that names the option if it cannot be read.
    init(path: String, option: String?, isChunked: Bool = false) throws {
        self.path = path
        var status = stat()
        if path == "-" {
            length = nil
            return
        }
        let code = unsafe ByteText.withPath(path) {
            unsafe stat($0, &status) == 0 && access($0, R_OK) == 0 ? 0 : errno
        }
        let place = option.map { $0 + ": " } ?? ""
        if code != 0 {
            throw CommandFailure(.unreadable, "\(place)\(InputError(path: path, number: code))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw CommandFailure(.unreadable, "\(place)\(path) is a folder")
        case S_IFREG where !isChunked: length = Int(status.st_size)
        default: length = nil
        }
    }

    var content: RequestBody { content(nil, before: InputDescriptor()) }

    /// - Parameter beginning: what has been read of `file`.
    func content(_ beginning: Data?, before file: InputDescriptor) -> RequestBody {
        if length != nil { return .file(path: path) }
        let path = path
        let beginning = Lock(beginning)
        let pieces = AsyncThrowingStream {
            if let first = beginning.withLock({ $0.take() }) { return first }
            return try await file.nextPiece(of: path)
        }
        return .sequence(pieces)
    }
}
