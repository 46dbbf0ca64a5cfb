// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernIO
import TernLock

/// A range of a file that is content of a request.
struct FileRange: Sendable {
    /// An open file, as long as it is referenced.
    final class File: Sendable {
        let source: FileSource
        /// Where it was found, for errors.
        let path: String

        private init(_ source: consuming FileSource, path: String) {
            self.source = source
            self.path = path
        }

        /// Opens a regular file. Returns nil for anything else, which stays unopened: opening a FIFO wakes its writer,
        /// and opening a device may block or have effects.
        convenience init?(path: String) throws(SystemCallError) {
            // To C a path ends at a NUL: that is for `FileSource` to refuse.
            if !path.utf8.contains(0), let status = FileStatus(of: path), status.kind != .regular { return nil }
            self.init(try FileSource(path: path), path: path)
            // Another file may have taken the place of the one that was looked at.
            if !source.isRegularFile { return nil }
        }
    }

    let file: File
    /// The range in the file.
    private(set) var range: Range<Int64>
    /// The error if the bytes no longer exist; nil for a general one.
    let whenShort: (any Error)?

    init(file: File, range: Range<Int64>, whenShort: (any Error)?) {
        self.file = file
        self.range = range
        self.whenShort = whenShort
    }

    /// Returns the rest after this number of bytes has been sent.
    func dropping(_ count: Int) -> FileRange {
        var rest = self
        rest.range = min(range.upperBound, range.lowerBound + Int64(count))..<range.upperBound
        return rest
    }
}

/// A source that contains files, which it need not read: the kernel sends them where no bytes need to be sealed
/// (sendfile(2)).
protocol FileBodySource: BodySource {
    /// Returns the next file range; nil if other bytes come next, which `next` returns. After it the source is called
    /// again.
    func nextStretch() -> FileRange?
}

/// A file whose content is read, because the kernel cannot send it as it is.
final class FileReader: BodySource {
    private let file: FileRange.File
    /// Its length in bytes; nil if it is read to its end, wherever that is.
    private let length: Int64?
    private let offset = Lock<Int64>(0)

    /// Any file, as long as it is now.
    init(reading file: FileRange.File) throws(SystemCallError) {
        length = try Self.isUnsized(file) ? nil : max(0, file.source.size)
        self.file = file
    }

    /// A file that reports a length of zero and has content, such as those of /proc: it is generated when read (proc(5)).
    /// Nil for a file that is really empty, or that has a size.
    init?(unsized file: FileRange.File) throws(SystemCallError) {
        guard try Self.isUnsized(file) else { return nil }
        (self.file, length) = (file, nil)
    }

    var isEmpty: Bool { length == 0 }

    private static func isUnsized(_ file: FileRange.File) throws(SystemCallError) -> Bool {
        guard file.source.size <= 0 else { return false }
        var byte = UInt8(0)
        let result = try unsafe withUnsafeMutableBytes(of: &byte) { room in
            Result { () throws(SystemCallError) in try unsafe file.source.read(into: room, at: 0) }
        }.get()
        if case .bytes = result { return true } else { return false }
    }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let position = offset.withLock(\.self)
        let count = length.map { Int(clamping: min(Int64(count), $0 - position)) } ?? count
        if count == 0 { return .end() }
        var result: Result<IOResult, SystemCallError> = .success(.endOfStream)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            result = Result { () throws(SystemCallError) in
                try unsafe file.source.read(into: UnsafeMutableRawBufferPointer(room), at: position)
            }
            if case .success(.bytes(let read)) = result { filled = read }
        }
        switch result {
        case .success(.bytes(let read)):
            offset.withLock { $0 += Int64(read) }
            return .bytes(Data(bytes))
        case .success(.wouldBlock), .success(.endOfStream):
            guard let length else { return .end() }
            return .failed(RequestBodyError.tooShort(missing: Int(clamping: length - position)))
        case .failure(let error): return .failed(RequestBodyError.unreadable(error, path: file.path))
        }
    }

    func finish() {}
}
