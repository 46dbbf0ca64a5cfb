// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The errors of this module, case by case as in Alamofire 4. Errors of the transport are a
/// ``TernEngine/SessionError``.
public enum AFError: Error {
    /// A `URLConvertible` is not a URL.
    case invalidURL(url: any URLConvertible)
    /// A `ParameterEncoding` could not encode.
    case parameterEncodingFailed(reason: ParameterEncodingFailureReason)
    /// A form of several parts could not be encoded.
    case multipartEncodingFailed(reason: MultipartEncodingFailureReason)
    /// A response did not pass `validate()`.
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    /// A response serializer could not serialize.
    case responseSerializationFailed(reason: ResponseSerializationFailureReason)

    /// Why the parameters could not be encoded.
    public enum ParameterEncodingFailureReason: Sendable {
        /// The request has no URL to encode parameters into.
        case missingURL
        /// The parameters are not representable in JSON.
        case jsonEncodingFailed(error: any Error)
        /// The parameters are not representable in a property list.
        case propertyListEncodingFailed(error: any Error)
    }

    /// Why a validation failed.
    public enum ResponseValidationFailureReason: Sendable {
        /// The file with the body does not exist.
        case dataFileNil
        /// The file with the body cannot be read.
        case dataFileReadFailed(at: URL)
        /// The response has a body and no usable Content-Type, and not every type is acceptable.
        case missingContentType(acceptableContentTypes: [String])
        /// The response's Content-Type matches no acceptable type.
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        /// The status code is not acceptable.
        case unacceptableStatusCode(code: Int)
    }

    /// Why the response could not be serialized.
    public enum ResponseSerializationFailureReason: Sendable {
        /// There is no data: the body was passed to `stream(closure:)`.
        case inputDataNil
        /// There is no data, or the body is empty.
        case inputDataNilOrZeroLength
        /// The file with the body does not exist.
        case inputFileNil
        /// The file with the body cannot be read.
        case inputFileReadFailed(at: URL)
        /// The body is not text in this encoding.
        case stringSerializationFailed(encoding: String.Encoding)
        /// The body is not JSON, or cannot be decoded.
        case jsonSerializationFailed(error: any Error)
        /// The body is not a property list.
        case propertyListSerializationFailed(error: any Error)
    }
}

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
    fileprivate var url: URL? {
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
    fileprivate var underlyingError: (any Error)? {
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

    fileprivate var text: String {
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

extension AFError {
    /// Whether a value was not a URL.
    public var isInvalidURLError: Bool {
        if case .invalidURL = self { true } else { false }
    }

    /// Whether parameters could not be encoded.
    public var isParameterEncodingError: Bool {
        if case .parameterEncodingFailed = self { true } else { false }
    }

    /// Whether a form of several parts could not be encoded.
    public var isMultipartEncodingError: Bool {
        if case .multipartEncodingFailed = self { true } else { false }
    }

    /// Whether a response did not pass validation.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = self { true } else { false }
    }

    /// Whether a response could not be serialized.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = self { true } else { false }
    }

    /// The value that was not a URL.
    public var urlConvertible: (any URLConvertible)? {
        switch self {
        case .invalidURL(let url): url
        case .parameterEncodingFailed, .multipartEncodingFailed, .responseValidationFailed,
            .responseSerializationFailed:
            nil
        }
    }

    /// The file of a form that could not be encoded.
    public var url: URL? {
        switch self {
        case .multipartEncodingFailed(let reason): reason.url
        case .invalidURL, .parameterEncodingFailed, .responseValidationFailed, .responseSerializationFailed: nil
        }
    }

    /// The error of an encoder, a decoder or the system.
    public var underlyingError: (any Error)? {
        switch self {
        case .parameterEncodingFailed(let reason): reason.underlyingError
        case .multipartEncodingFailed(let reason): reason.underlyingError
        case .responseSerializationFailed(let reason): reason.underlyingError
        case .invalidURL, .responseValidationFailed: nil
        }
    }

    /// The acceptable types.
    public var acceptableContentTypes: [String]? { validationFailure?.contentTypes?.acceptable }

    /// The unacceptable type.
    public var responseContentType: String? { validationFailure?.contentTypes?.received }

    /// The unacceptable status code.
    public var responseCode: Int? { validationFailure?.statusCode }

    /// The encoding that the body is not valid in.
    public var failedStringEncoding: String.Encoding? {
        switch self {
        case .responseSerializationFailed(let reason): reason.encoding
        case .invalidURL, .parameterEncodingFailed, .multipartEncodingFailed, .responseValidationFailed: nil
        }
    }

    private var validationFailure: ResponseValidationFailureReason? {
        switch self {
        case .responseValidationFailed(let reason): reason
        case .invalidURL, .parameterEncodingFailed, .multipartEncodingFailed, .responseSerializationFailed: nil
        }
    }
}

extension AFError.ParameterEncodingFailureReason {
    fileprivate var underlyingError: (any Error)? {
        switch self {
        case .jsonEncodingFailed(let error), .propertyListEncodingFailed(let error): error
        case .missingURL: nil
        }
    }
}

extension AFError.ResponseValidationFailureReason {
    fileprivate var contentTypes: (acceptable: [String], received: String?)? {
        switch self {
        case .missingContentType(let types): (types, nil)
        case .unacceptableContentType(let types, let type): (types, type)
        case .dataFileNil, .dataFileReadFailed, .unacceptableStatusCode: nil
        }
    }

    fileprivate var statusCode: Int? {
        switch self {
        case .unacceptableStatusCode(let code): code
        case .dataFileNil, .dataFileReadFailed, .missingContentType, .unacceptableContentType: nil
        }
    }
}

extension AFError.ResponseSerializationFailureReason {
    fileprivate var underlyingError: (any Error)? {
        switch self {
        case .jsonSerializationFailed(let error), .propertyListSerializationFailed(let error): error
        case .inputDataNil, .inputDataNilOrZeroLength, .inputFileNil, .inputFileReadFailed, .stringSerializationFailed:
            nil
        }
    }

    fileprivate var encoding: String.Encoding? {
        switch self {
        case .stringSerializationFailed(let encoding): encoding
        case .inputDataNil, .inputDataNilOrZeroLength, .inputFileNil, .inputFileReadFailed, .jsonSerializationFailed,
            .propertyListSerializationFailed:
            nil
        }
    }
}

extension AFError: LocalizedError {
    /// Alamofire 4's messages for `localizedDescription`, without the user and password of a URL.
    public var errorDescription: String? { text { "\n\($0.localizedDescription)" } }
}

extension AFError: CustomStringConvertible {
    /// One line, with the underlying error's own description: Foundation's messages for many errors are alike on Linux.
    public var description: String { text { " \($0)" } }

    private func text(_ quoted: (any Error) -> String) -> String {
        switch self {
        case .invalidURL(let url): "URL is not valid: \(Redaction.url("\(url)"))"
        case .parameterEncodingFailed(let reason): reason.text(quoted)
        case .multipartEncodingFailed(let reason): reason.text
        case .responseValidationFailed(let reason): reason.text
        case .responseSerializationFailed(let reason): reason.text(quoted)
        }
    }
}

extension AFError.ParameterEncodingFailureReason {
    fileprivate func text(_ quoted: (any Error) -> String) -> String {
        switch self {
        case .missingURL: "URL request to encode was missing a URL"
        case .jsonEncodingFailed(let error): "JSON could not be encoded because of error:\(quoted(error))"
        case .propertyListEncodingFailed(let error):
            "PropertyList could not be encoded because of error:\(quoted(error))"
        }
    }
}

extension AFError.ResponseValidationFailureReason {
    fileprivate var text: String {
        switch self {
        case .dataFileNil: "Response could not be validated, data file was nil."
        case .dataFileReadFailed(let url): "Response could not be validated, data file could not be read: \(url)."
        case .missingContentType(let types):
            "Response Content-Type was missing and acceptable content types (\(types.joined(separator: ","))) "
                + "do not match \"*/*\"."
        case .unacceptableContentType(let types, let type):
            "Response Content-Type \"\(type)\" does not match any acceptable types: \(types.joined(separator: ","))."
        case .unacceptableStatusCode(let code): "Response status code was unacceptable: \(code)."
        }
    }
}

extension AFError.ResponseSerializationFailureReason {
    fileprivate func text(_ quoted: (any Error) -> String) -> String {
        switch self {
        case .inputDataNil: "Response could not be serialized, input data was nil."
        case .inputDataNilOrZeroLength: "Response could not be serialized, input data was nil or zero length."
        case .inputFileNil: "Response could not be serialized, input file was nil."
        case .inputFileReadFailed(let url):
            "Response could not be serialized, input file could not be read: \(url)."
        case .stringSerializationFailed(let encoding):
            "String could not be serialized with encoding: \(Charset.name(of: encoding))."
        case .jsonSerializationFailed(let error): "JSON could not be serialized because of error:\(quoted(error))"
        case .propertyListSerializationFailed(let error):
            "PropertyList could not be serialized because of error:\(quoted(error))"
        }
    }
}

extension AFError.ParameterEncodingFailureReason: CustomStringConvertible {
    /// One sentence.
    public var description: String { AFError.parameterEncodingFailed(reason: self).description }
}

extension AFError.MultipartEncodingFailureReason: CustomStringConvertible {
    /// One sentence, with the system's message if it has one.
    public var description: String { text }
}

extension AFError.ResponseValidationFailureReason: CustomStringConvertible {
    /// One sentence.
    public var description: String { text }
}

extension AFError.ResponseSerializationFailureReason: CustomStringConvertible {
    /// One sentence.
    public var description: String { AFError.responseSerializationFailed(reason: self).description }
}
