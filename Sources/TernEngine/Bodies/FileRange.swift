// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernIO

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
