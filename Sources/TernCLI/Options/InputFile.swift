// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that lives as long as the one system call it is lent to, with that value's own
// size.
import Dispatch
import FoundationEssentials
import Glibc
import TernEngine
import TernFiles

/// A file that an option reads; `-` is standard input.
enum InputFile {
    private static let pieceSize = 256 * 1024

    /// - Throws: a failure that names the option.
    static func read(_ path: String, for option: String) throws -> Data {
        do throws(InputError) {
            return try contents(of: path)
        } catch {
            throw CommandFailure(.unreadable, "\(option): \(error)")
        }
    }

    /// - Parameter path: "-" is standard input.
    static func contents(of path: String) throws(InputError) -> Data {
        try read(InputDescriptor(), path)
    }

    // Apart, and not inlined: with the object and the typed error in one function, the compiler of Swift 6.3.1 puts the
    // object onto the stack and releases it as if it were not there.
    @inline(never)
    private static func read(_ file: InputDescriptor, _ path: String) throws(InputError) -> Data {
        var contents = Data()
        while let piece = try file.piece(of: path, pieceSize) { contents.append(piece) }
        return contents
    }

    /// A second reader of standard input would find it empty.
    static func checkStandardInput(_ inputs: [String]) throws {
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw UsageError("\"-\" is given more than once, and standard input can be read only once")
        }
    }
}

/// Reads a file from beginning to end, opened for the first chunk. Belongs to one queue, hence `@unchecked Sendable`.
final class InputDescriptor: @unchecked Sendable {
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
    let path: String
    /// errno(3).
    let number: Int32

    var exitStatus: ExitStatus { .unreadable }

    var description: String {
        unsafe "cannot read \(path == "-" ? "standard input" : path): \(String(cString: strerror(number)))"
    }
}

/// The content that an option names: a file, or a source that can be read once, such as standard input or a FIFO.
struct Upload {
    private static let pieceSize = 64 * 1024

    let path: String
    /// Nil if the length is not known in advance.
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

    var content: RequestBody {
        if length != nil { return .file(path: path) }
        let path = path
        let queue = DispatchQueue(label: "tern.input")
        let file = InputDescriptor()
        return .sequence(
            AsyncThrowingStream {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { continuation.resume(with: Result { try file.piece(of: path, Self.pieceSize) }) }
                }
            })
    }
}
