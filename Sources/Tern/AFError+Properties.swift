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
        if case .invalidURL(let url) = self { url } else { nil }
    }

    /// The file of a form that could not be encoded.
    public var url: URL? {
        if case .multipartEncodingFailed(let reason) = self { reason.url } else { nil }
    }

    /// The error of an encoder, a decoder or the system.
    public var underlyingError: (any Error)? {
        switch self {
        case .parameterEncodingFailed(.jsonEncodingFailed(let error)),
            .parameterEncodingFailed(.propertyListEncodingFailed(let error)),
            .responseSerializationFailed(.jsonSerializationFailed(let error)),
            .responseSerializationFailed(.propertyListSerializationFailed(let error)):
            error
        case .multipartEncodingFailed(let reason): reason.underlyingError
        case .invalidURL, .parameterEncodingFailed, .responseValidationFailed, .responseSerializationFailed: nil
        }
    }

    /// The acceptable types.
    public var acceptableContentTypes: [String]? {
        switch self {
        case .responseValidationFailed(.missingContentType(let types)),
            .responseValidationFailed(.unacceptableContentType(let types, _)):
            types
        case .invalidURL, .parameterEncodingFailed, .multipartEncodingFailed, .responseValidationFailed,
            .responseSerializationFailed:
            nil
        }
    }

    /// The unacceptable type.
    public var responseContentType: String? {
        if case .responseValidationFailed(.unacceptableContentType(_, let type)) = self { type } else { nil }
    }

    /// The unacceptable status code.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = self { code } else { nil }
    }

    /// The encoding that the body is not valid in.
    public var failedStringEncoding: String.Encoding? {
        if case .responseSerializationFailed(.stringSerializationFailed(let encoding)) = self { encoding } else { nil }
    }
}
