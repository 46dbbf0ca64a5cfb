// SPDX-License-Identifier: Apache-2.0
import TernIO

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
