// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernFiles
public import TernIO

/// A file of cookies that several processes may share: each change is read, made and written under a lock, and the file
/// is replaced in one step, so that a crash leaves the old one or the new one.
struct CookieFile: Sendable {
    /// In bytes.
    static let maximumLength = 64 * 1024 * 1024
    private static let lockTimeout = Duration.seconds(5)

    private let path: String
    /// Where the file is written, one change after another. Waiting for the disk, or for a lock, is for no thread that
    /// has something else to do.
    let queue = DispatchQueue(label: "tern.cookies", qos: .utility)

    init(_ url: URL) {
        // A symbolic link stays, and the file behind it is replaced, or created.
        path = FilePath.followingLinks(from: url.path(percentEncoded: false))
    }

    /// The content of the file; that of an empty one if there is no file.
    func read(now: Date) throws(CookieFileError) -> CookieText {
        do throws(SystemCallError) {
            return CookieText(try FileContent.read(path, limit: Self.maximumLength) ?? [], now: now)
        } catch {
            throw .unreadable(path: path)
        }
    }

    /// Writes changes into the file, and keeps what other processes have written to it: cookies, and lines that are
    /// none. Blocks; only the owner may read the file.
    func write(_ changes: CookieChanges, keepsSessionCookies: Bool) throws(CookieFileError) {
        let lock = try self.lock()
        defer { lock.remove() }
        let now = Date()
        let content = try read(now: now)
        var jar = CookieJar(content.cookies + changes.cookies, now: now)
        if !keepsSessionCookies { jar.removeSessionCookies() }
        let bytes = CookieText.bytes(of: jar.cookies(now: now), after: content.otherLines)
        do throws(SystemCallError) {
            try OutputFile.replace(path, by: bytes)
        } catch {
            throw .unwritable(path: path, error)
        }
    }

    /// Whether something exists at its path.
    var exists: Bool { FileStatus(of: path) != nil }

    /// A file of its own, because the file of the cookies is replaced. Its holder removes it.
    private func lock() throws(CookieFileError) -> OutputFile {
        do throws(SystemCallError) {
            if let file = try OutputFile.locked(path + ".lock", within: Self.lockTimeout) { return file }
        } catch {
            throw .unwritable(path: path, error)
        }
        throw .locked(path: path)
    }
}

/// Why cookies could not be read from a file, or written to it. A line that is no cookie is none of these: it is skipped
/// (``HTTPCookieStorage/skippedLineCount``).
public enum CookieFileError: Error, Sendable, Hashable {
    /// The file exists and cannot be read, is no regular file, or is longer than 64 MB.
    case unreadable(path: String)
    /// Another process has kept the file locked for five seconds.
    case locked(path: String)
    /// The file cannot be written.
    case unwritable(path: String, SystemCallError)
}

extension CookieFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path): "cannot read cookies from \(path)"
        case .locked(let path): "another process keeps \(path).lock locked"
        case .unwritable(let path, let error): "cannot write cookies to \(path): \(error)"
        }
    }
}
