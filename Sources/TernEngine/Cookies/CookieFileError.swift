// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// Why cookies could not be read from a file, or written to it.
public enum CookieFileError: Error, Sendable, Hashable {
    /// The file exists and cannot be read, or is longer than 64 MB.
    case unreadable(path: String)
    /// This line, counted from 1, is no cookie in the Netscape format; the file is left as it is.
    case malformedLine(path: String, line: Int)
    /// Another process has kept the file locked for five seconds.
    case locked(path: String)
    /// The file cannot be written.
    case unwritable(path: String, SystemCallError)
}

extension CookieFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path): "cannot read cookies from \(path)"
        case .malformedLine(let path, let line): "line \(line) of \(path) is no cookie in the Netscape format"
        case .locked(let path): "another process keeps \(path).lock locked"
        case .unwritable(let path, let error): "cannot write cookies to \(path): \(error)"
        }
    }
}
