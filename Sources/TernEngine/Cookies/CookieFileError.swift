// SPDX-License-Identifier: Apache-2.0
public import TernIO

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
