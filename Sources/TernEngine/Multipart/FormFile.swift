// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A file to send, and its length when it was appended. It is not kept open: a form may have many.
struct FormFile: Sendable {
    let path: String
    let length: Int64

    init(path: String) throws(MultipartFormError) {
        self.path = path
        length = try Self.open(path).size
    }

    /// Opens it again, for sending.
    func open() throws(MultipartFormError) -> FileSource {
        let file = try Self.open(path)
        if file.size != length { throw .fileChanged(path: path, length: length) }
        return file
    }

    private static func open(_ path: String) throws(MultipartFormError) -> FileSource {
        let file: FileSource
        do throws(SystemCallError) {
            file = try FileSource(path: path)
        } catch {
            throw .unreadable(path: path, error)
        }
        guard file.isRegularFile else { throw .noRegularFile(path: path) }
        return file
    }
}
