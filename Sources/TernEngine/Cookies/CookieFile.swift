// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
public import TernIO

/// A file of cookies that several processes may share.
struct CookieFile: Sendable {
    /// In bytes.
    static let maximumLength = 64 * 1024 * 1024

    private let file: MergedFile
    /// Where the file is written, one change after another. Waiting for the disk, or for a lock, is for no thread that
    /// has something else to do.
    let queue = SerialQueue()

    /// - Parameter isPrivate: whether a file of another user, or one that others may use, is refused.
    init(_ path: String, isPrivate: Bool = false) {
        file = MergedFile(path, limit: Self.maximumLength, isPrivate: isPrivate)
    }

    /// The content of the file; that of an empty one if there is no file.
    func read(now: Date) throws(CookieFileError) -> CookieText {
        do throws(MergedFile.Failure) {
            return CookieText(try file.read(), now: now)
        } catch {
            throw CookieFileError(error, path: file.path)
        }
    }

    /// Writes changes into the file, and keeps what other processes have written to it: cookies, and lines that are
    /// none. Blocks; only the owner may read the file.
    func write(_ changes: CookieChanges, keepsSessionCookies: Bool) throws(CookieFileError) {
        do throws(MergedFile.Failure) {
            try file.merge { bytes in
                let now = Date()
                let content = CookieText(bytes, now: now)
                var jar = CookieJar(content.cookies + changes.cookies, now: now)
                if !keepsSessionCookies { jar.removeSessionCookies() }
                return CookieText.bytes(of: jar.cookies(now: now), after: content.otherLines)
            }
        } catch {
            throw CookieFileError(error, path: file.path)
        }
    }

    /// Creates the folder of the file, and those above it, for their owner alone, where there are none (XDG Base
    /// Directory Specification, "Referencing this specification").
    func createFolder() throws(CookieFileError) {
        do throws(SystemCallError) {
            try FilePath.createFolder(FilePath.folder(of: file.path), permissions: 0o700)
        } catch {
            throw .unwritable(path: file.path, error)
        }
    }

    /// Whether something exists at its path.
    var exists: Bool { file.exists }
}

/// Why cookies could not be read from a file, or written to it. A line that is no cookie is none of these: it is skipped
/// (``HTTPCookieStorage/skippedLineCount``).
public enum CookieFileError: Error, Sendable, Hashable {
    /// The file exists and cannot be read, is no regular file, or is longer than 64 MB.
    case unreadable(path: String, SystemCallError)
    /// Another process has kept the file locked for five seconds.
    case locked(path: String)
    /// The file cannot be written.
    case unwritable(path: String, SystemCallError)
}

extension CookieFileError {
    fileprivate init(_ failure: MergedFile.Failure, path: String) {
        switch failure {
        case .unreadable(let error): self = .unreadable(path: path, error)
        case .exposed, .foreign: self = .unreadable(path: path, .notPermitted)
        case .locked: self = .locked(path: path)
        case .unwritable(let error): self = .unwritable(path: path, error)
        }
    }
}

extension CookieFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "cannot read cookies from \(path): \(error)"
        case .locked(let path): "another process keeps \(path).lock locked"
        case .unwritable(let path, let error): "cannot write cookies to \(path): \(error)"
        }
    }
}
