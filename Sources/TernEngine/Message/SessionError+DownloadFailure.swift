// SPDX-License-Identifier: Apache-2.0
public import TernIO

extension SessionError {
    /// Why a download did not come to be the file it was to be. What stood at its target stands there still.
    public enum DownloadFailure: Error {
        /// The file could not be made, written, read or put in its place: a full disk is `ENOSPC`, a quota `EDQUOT`, a
        /// file that may not be so large `EFBIG`.
        case file(SystemCallError, path: String)
        /// There is a file already, and it was not to be replaced.
        case exists(path: String)
        /// What stands at the target is a folder, a device, a FIFO or a socket, and no file that could be replaced.
        case notRegularFile(path: String)
        /// The response is no success, so its body is not the file that was asked for.
        case unsuccessful(HTTPURLResponse)
        /// The server sent another part than was asked for, or does not say which.
        case wrongPart(ContentRangeError)
        /// All of the part that the server chose to send has come, and the file is longer.
        case incomplete(received: Int64, of: Int64)
        /// The file would become longer than it may (``DownloadSettings/maximumLength``), in bytes. Nothing of it is
        /// kept.
        case tooLong(limit: Int64)
        /// The content is not what its digest says. It is not kept.
        case digestMismatch(DigestAlgorithm)
        /// The response was to say what its content's digest is (`Repr-Digest`), and says none that is understood.
        case noDigest
        /// The resume data cannot be used.
        case resumeData(ResumeDataError)
    }
}

extension SessionError.DownloadFailure: CustomStringConvertible {
    var kind: String {
        switch self {
        case .file: "file"
        case .exists: "file-exists"
        case .notRegularFile: "not-a-regular-file"
        case .unsuccessful: "http-status"
        case .wrongPart: "wrong-part"
        case .incomplete: "incomplete"
        case .tooLong: "too-long"
        case .digestMismatch: "digest-mismatch"
        case .noDigest: "no-digest"
        case .resumeData: "resume-data"
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
