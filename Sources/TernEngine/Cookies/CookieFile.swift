// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernIO

/// A file of cookies in the Netscape format that several processes may share: each change is read, made and written
/// under a lock, and the file is replaced in one step, so that a crash leaves the old one or the new one.
struct CookieFile: Sendable {
    private static let maximumLength = 64 * 1024 * 1024
    private static let lockTimeout = Duration.seconds(5)

    private let path: String

    init(_ url: URL) {
        let path = url.path(percentEncoded: false)
        // A symbolic link stays, and the file behind it is replaced.
        self.path = FilePath.resolved(path) ?? path
    }

    /// The cookies of the file that have not ended; none if there is no file.
    func cookies(now: Date) throws(CookieFileError) -> [HTTPCookie] {
        guard let status = FileStatus(of: path) else { return [] }
        guard status.kind == .regular, let data = try? Data(contentsOf: URL(filePath: path)),
            data.count <= Self.maximumLength
        else { throw .unreadable(path: path) }
        do throws(NetscapeCookies.MalformedLine) {
            return try NetscapeCookies.cookies(in: String(decoding: data, as: UTF8.self), now: now)
        } catch {
            throw .malformedLine(path: path, line: error.number)
        }
    }

    /// Replaces the file by one with the cookies that `change` makes of its own. Blocks; only the owner may read it.
    func update(now: Date, _ change: ([HTTPCookie]) -> [HTTPCookie]) throws(CookieFileError) {
        let lock = try self.lock()
        defer { lock.unlock() }
        let bytes = Array(NetscapeCookies.text(of: change(try cookies(now: now))).utf8)
        do throws(SystemCallError) {
            let file = try OutputFile.createTemporary(FilePath.temporary(beside: path), permissions: 0o600)
            defer { file.remove() }
            let written = unsafe bytes.withUnsafeBytes { bytes in
                Result { () throws(SystemCallError) in try unsafe file.write(bytes, at: 0) }
            }
            try written.get()
            try file.checkDeferredErrors()
            try file.replace(path)
        } catch {
            throw .unwritable(path: path, error)
        }
    }

    /// A file of its own, because the file of the cookies is replaced. It stays: a lock on a file that was removed
    /// would keep no process out.
    private func lock() throws(CookieFileError) -> OutputFile {
        do throws(SystemCallError) {
            if let file = try OutputFile.locked(path + ".lock", within: Self.lockTimeout) { return file }
        } catch {
            throw .unwritable(path: path, error)
        }
        throw .locked(path: path)
    }
}
