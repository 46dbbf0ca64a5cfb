// SPDX-License-Identifier: Apache-2.0
import TernIO

/// Why resume data cannot be used.
public enum ResumeDataError: Error, Sendable, Hashable {
    /// It is not resume data of Tern.
    case malformed
    /// It is of a later version of the format.
    case unknownVersion(Int)
    /// It has no URL that can be requested, or a request that cannot be sent.
    case invalidRequest
    /// The path of the partial file is not one that a download would choose.
    case suspiciousPath(String)
    /// The partial file does not exist.
    case missingFile(path: String)
    /// The path of the partial file leads to something other than a regular file, or to a file of another user.
    case foreignFile(path: String)
    /// The partial file is shorter than it was.
    case wrongLength(Int64, expected: Int64)
    /// Another download is writing the partial file.
    case inUse(path: String)
    /// The partial file cannot be opened; the value is `errno`.
    case unreadable(path: String, code: Int32)
}

extension ResumeDataError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .malformed: "it is not what a download of Tern left behind"
        case .unknownVersion(let version): "its format's version \(version) is not known"
        case .invalidRequest: "it holds no request that could be sent"
        case .suspiciousPath: "the path of its partial file is none that a download would choose"
        case .missingFile(let path): "the partial file \(path) is gone"
        case .foreignFile(let path): "\(path) is not the partial file of a download"
        case .wrongLength(let length, let expected): "the partial file has \(length) bytes, and had \(expected)"
        case .inUse(let path): "another download writes the partial file \(path)"
        case .unreadable(let path, let code):
            "the partial file \(path) cannot be opened: \(SystemCallError(.open, code: code))"
        }
    }
}
