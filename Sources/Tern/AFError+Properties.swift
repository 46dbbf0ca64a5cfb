// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
