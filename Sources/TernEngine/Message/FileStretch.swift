// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Bytes of a file that are content of a request.
struct FileStretch: Sendable {
    /// An open file, as long as it is referenced.
    final class File: Sendable {
        let source: FileSource

        init(_ source: consuming FileSource) { self.source = source }
    }

    let file: File
    /// Where they lie.
    private(set) var range: Range<Int64>
    /// What is wrong if they are not there any more; nil if that is all there is to say.
    let whenShort: (any Error)?

    init(file: File, range: Range<Int64>, whenShort: (any Error)?) {
        self.file = file
        self.range = range
        self.whenShort = whenShort
    }

    /// Returns what is left when this number of bytes has left.
    func dropping(_ count: Int) -> FileStretch {
        var rest = self
        rest.range = min(range.upperBound, range.lowerBound + Int64(count))..<range.upperBound
        return rest
    }
}

/// A source that has files in it, which need not be read by it: the kernel sends them where nothing has to be sealed
/// (sendfile(2)).
protocol FileBodySource: BodySource {
    /// The stretch that comes next; nil where bytes come next, which `next` gives. After it the source is asked again.
    func nextStretch() -> FileStretch?
}
