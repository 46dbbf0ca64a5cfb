// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// A range of a form's bytes, and their source.
enum FormSegment: Sendable {
    case data(Data)
    case file(FormFile)
    case source(SingleUseSource, length: Int?)

    /// The length in bytes; nil if it is unknown.
    var length: Int? {
        switch self {
        case .data(let data): data.count
        case .file(let file): Int(exactly: file.length)
        case .source(_, let length): length
        }
    }

    /// Whether it can be read from its beginning again.
    var isReplayable: Bool { if case .source = self { false } else { true } }

    /// Nil if one is unknown, or the sum is too large.
    static func sum(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return nil }
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? nil : sum
    }
}

/// A file to send, and its length when it was appended. It is not kept open: a form may have many.
struct FormFile: Sendable {
    let path: String
    let length: Int64

    init(path: String) throws(MultipartFormError) {
        self.path = path
        length = try Self.open(path).source.size
    }

    /// Opens it again, for sending.
    func open() throws(MultipartFormError) -> FileRange.File {
        let file = try Self.open(path)
        if file.source.size != length { throw .fileChanged(path: path, length: length) }
        return file
    }

    private static func open(_ path: String) throws(MultipartFormError) -> FileRange.File {
        let file: FileRange.File?
        do throws(SystemCallError) {
            file = try FileRange.File(path: path)
        } catch {
            throw .unreadable(path: path, error)
        }
        guard let file else { throw .noRegularFile(path: path) }
        return file
    }
}
