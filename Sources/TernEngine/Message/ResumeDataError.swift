// SPDX-License-Identifier: Apache-2.0

/// Why resume data cannot be used.
public enum ResumeDataError: Error, Sendable, Hashable {
    /// It is not what a download of Tern's left behind.
    case malformed
    /// It is of a later version of the format.
    case unknownVersion(Int)
    /// It names no URL that can be requested, or a request that cannot be sent.
    case invalidRequest
    /// The path of the partial file is none that a download would choose.
    case suspiciousPath(String)
    /// The partial file is gone.
    case missingFile(path: String)
    /// What is at the path of the partial file is no regular file, or belongs to another user.
    case foreignFile(path: String)
    /// The partial file is shorter than it was.
    case wrongLength(Int64, expected: Int64)
    /// Another download writes the partial file now.
    case inUse(path: String)
    /// The partial file cannot be opened; with the number that `errno` had.
    case unreadable(path: String, code: Int32)
}

extension ResumeDataError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .malformed: "it is not what a download left behind"
        case .unknownVersion(let version): "its format's version \(version) is not known"
        case .invalidRequest: "it holds no request that could be sent"
        case .suspiciousPath: "the path of its partial file is none that a download would choose"
        case .missingFile(let path): "the partial file \(path) is gone"
        case .foreignFile(let path): "\(path) is not the partial file of a download"
        case .wrongLength(let length, let expected): "the partial file has \(length) bytes, and had \(expected)"
        case .inUse(let path): "another download writes the partial file \(path)"
        case .unreadable(let path, let code): "the partial file \(path) cannot be opened (errno \(code))"
        }
    }
}
