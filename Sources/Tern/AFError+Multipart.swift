// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension AFError {
    /// Why a multipart form could not be encoded.
    public enum MultipartEncodingFailureReason: Sendable {
        /// A part's URL is not a file URL.
        case bodyPartURLInvalid(url: URL)
        /// A part's file has no name to send, or no extension that determines its type.
        case bodyPartFilenameInvalid(in: URL)
        /// A part's file does not exist.
        case bodyPartFileNotReachable(at: URL)
        /// The system call that checks whether a part's file exists failed.
        case bodyPartFileNotReachableWithError(atURL: URL, error: any Error)
        /// A part's file is a directory.
        case bodyPartFileIsDirectory(at: URL)
        /// A part's file has no size.
        case bodyPartFileSizeNotAvailable(at: URL)
        /// The system call that returns the size of a part's file failed.
        case bodyPartFileSizeQueryFailedWithError(forURL: URL, error: any Error)
        /// A part's file cannot be opened.
        case bodyPartInputStreamCreationFailed(for: URL)
        /// The file for the whole form cannot be opened.
        case outputStreamCreationFailed(for: URL)
        /// There is a file already at the path for the whole form.
        case outputStreamFileAlreadyExists(at: URL)
        /// The URL for the whole form is not a file URL.
        case outputStreamURLInvalid(url: URL)
        /// Writing the whole form failed.
        case outputStreamWriteFailed(error: any Error)
        /// Reading a part failed.
        case inputStreamReadFailed(error: any Error)
    }
}

extension AFError.MultipartEncodingFailureReason {
    /// The file that the error concerns.
    var url: URL? {
        switch self {
        case .bodyPartURLInvalid(let url), .bodyPartFilenameInvalid(let url), .bodyPartFileNotReachable(let url),
            .bodyPartFileNotReachableWithError(let url, _), .bodyPartFileIsDirectory(let url),
            .bodyPartFileSizeNotAvailable(let url), .bodyPartFileSizeQueryFailedWithError(let url, _),
            .bodyPartInputStreamCreationFailed(let url), .outputStreamCreationFailed(let url),
            .outputStreamFileAlreadyExists(let url), .outputStreamURLInvalid(let url):
            url
        case .outputStreamWriteFailed, .inputStreamReadFailed: nil
        }
    }

    /// The system's error.
    var underlyingError: (any Error)? {
        switch self {
        case .bodyPartFileNotReachableWithError(_, let error), .bodyPartFileSizeQueryFailedWithError(_, let error),
            .outputStreamWriteFailed(let error), .inputStreamReadFailed(let error):
            error
        case .bodyPartURLInvalid, .bodyPartFilenameInvalid, .bodyPartFileNotReachable, .bodyPartFileIsDirectory,
            .bodyPartFileSizeNotAvailable, .bodyPartInputStreamCreationFailed, .outputStreamCreationFailed,
            .outputStreamFileAlreadyExists, .outputStreamURLInvalid:
            nil
        }
    }

    var text: String {
        switch self {
        case .bodyPartURLInvalid(let url): "The URL provided is not a file URL: \(Redaction.url("\(url)"))"
        case .bodyPartFilenameInvalid(let url): "The URL provided does not have a valid filename: \(url)"
        case .bodyPartFileNotReachable(let url): "The URL provided is not reachable: \(url)"
        case .bodyPartFileNotReachableWithError(let url, let error):
            "The system returned an error while checking the provided URL for reachability.\nURL: \(url)\nError: \(error)"
        case .bodyPartFileIsDirectory(let url): "The URL provided is a directory: \(url)"
        case .bodyPartFileSizeNotAvailable(let url): "Could not fetch the file size from the provided URL: \(url)"
        case .bodyPartFileSizeQueryFailedWithError(let url, let error):
            "The system returned an error while attempting to fetch the file size from the provided URL.\n"
                + "URL: \(url)\nError: \(error)"
        case .bodyPartInputStreamCreationFailed(let url):
            "Failed to create an InputStream for the provided URL: \(url)"
        case .outputStreamCreationFailed(let url): "Failed to create an OutputStream for URL: \(url)"
        case .outputStreamFileAlreadyExists(let url): "A file already exists at the provided URL: \(url)"
        case .outputStreamURLInvalid(let url): "The provided OutputStream URL is invalid: \(Redaction.url("\(url)"))"
        case .outputStreamWriteFailed(let error): "OutputStream write failed with error: \(error)"
        case .inputStreamReadFailed(let error): "InputStream read failed with error: \(error)"
        }
    }
}
