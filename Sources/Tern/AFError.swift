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
