// SPDX-License-Identifier: Apache-2.0
public import TernIO

extension SessionError {
    /// Why a download did not become a file. An existing file at the target is unchanged.
    public enum DownloadFailure: Error {
        /// The file could not be created, written, read or renamed: a full disk is `ENOSPC`, a quota `EDQUOT`, a file
        /// that exceeds the size limit `EFBIG`.
        case file(SystemCallError, path: String)
        /// A file exists, and the settings do not allow replacing it.
        case exists(path: String)
        /// The target is a folder, a device, a FIFO or a socket, which cannot be replaced.
        case notRegularFile(path: String)
        /// The response is not a success (2xx), so its body is not the requested file.
        case unsuccessful(HTTPURLResponse)
        /// The server sent another part than requested, or does not say which.
        case wrongPart(ContentRangeError)
        /// The whole part that the server chose to send has arrived, and the file is longer.
        case incomplete(received: Int64, of: Int64)
        /// The file would exceed its maximum length (``DownloadSettings/maximumLength``), in bytes. It is discarded.
        case tooLong(limit: Int64)
        /// The content does not match its digest. It is discarded.
        case digestMismatch(DigestAlgorithm)
        /// The response was required to have a digest of its content (`Repr-Digest`), and has none that is supported.
        case noDigest
        /// The resume data cannot be used.
        case resumeData(ResumeDataError)
    }
}

extension SessionError.DownloadFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .file: .file
        case .exists: .fileExists
        case .notRegularFile: .notRegularFile
        case .unsuccessful: .httpStatus
        case .wrongPart: .wrongPart
        case .incomplete: .incomplete
        case .tooLong: .tooLong
        case .digestMismatch: .digestMismatch
        case .noDigest: .noDigest
        case .resumeData: .resumeData
        }
    }

    var rule: String {
        switch self {
        case .file(let error, _): error.message
        case .unsuccessful(let response): "\(response.statusCode)"
        case .wrongPart(let error): error.rule
        case .digestMismatch(let algorithm): algorithm.rawValue
        case .resumeData(let error): "\(error)"
        case .exists, .notRegularFile, .incomplete, .tooLong, .noDigest: description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .file(let error, let path): "the file \(path): \(error)"
        case .exists(let path): "there is a file \(path) already"
        case .notRegularFile(let path): "\(path) is no regular file"
        case .unsuccessful(let response): "the server answered \(response.statusCode)"
        case .wrongPart(let error): "the server sent another part than was asked for: \(error)"
        case .incomplete(let count, let total): "the server sent \(count) of \(total) bytes"
        case .tooLong(let limit): "the body exceeds \(limit) bytes"
        case .digestMismatch(let algorithm): "the content is not what its \(algorithm.rawValue) digest says"
        case .noDigest: "the response has no Repr-Digest that is understood"
        case .resumeData(let error): "the resume data cannot be used: \(error)"
        }
    }
}
