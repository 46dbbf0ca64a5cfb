// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// What this layer finds wrong, case by case as in Alamofire 4. What the transport finds wrong is an
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

    /// What a validation did not like.
    public enum ResponseValidationFailureReason: Sendable {
        /// The file that the body went to is not there.
        case dataFileNil
        /// The file that the body went to cannot be read.
        case dataFileReadFailed(at: URL)
        /// The response has a body and no usable Content-Type, and not every type is acceptable.
        case missingContentType(acceptableContentTypes: [String])
        /// The response's Content-Type matches none that is acceptable.
        case unacceptableContentType(acceptableContentTypes: [String], responseContentType: String)
        /// The status code is not among those that are acceptable.
        case unacceptableStatusCode(code: Int)
    }

    /// Why the response could not be serialized.
    public enum ResponseSerializationFailureReason: Sendable {
        /// There are no data: they went to `stream(closure:)`.
        case inputDataNil
        /// There are no data, or none in the body.
        case inputDataNilOrZeroLength
        /// The file that the body went to is not there.
        case inputFileNil
        /// The file that the body went to cannot be read.
        case inputFileReadFailed(at: URL)
        /// The body is no text in this encoding.
        case stringSerializationFailed(encoding: String.Encoding)
        /// The body is not JSON, or not what a decoder was to make of it.
        case jsonSerializationFailed(error: any Error)
        /// The body is not a property list.
        case propertyListSerializationFailed(error: any Error)
    }
}
