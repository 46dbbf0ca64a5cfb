// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension AFError: LocalizedError {
    /// `description`, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension AFError: CustomStringConvertible {
    /// One sentence, without the user and password that a URL may carry.
    public var description: String {
        switch self {
        case .invalidURL(let url): "URL is not valid: \(Redaction.url("\(url)"))"
        case .parameterEncodingFailed(let reason): reason.description
        case .responseValidationFailed(let reason): reason.description
        case .responseSerializationFailed(let reason): reason.description
        }
    }
}

extension AFError.ParameterEncodingFailureReason: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch self {
        case .missingURL: "URL request to encode was missing a URL"
        case .jsonEncodingFailed(let error): "JSON could not be encoded because of error: \(error)"
        }
    }
}

extension AFError.ResponseValidationFailureReason: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch self {
        case .missingContentType(let types):
            "Response Content-Type was missing and acceptable content types (\(types.joined(separator: ","))) "
                + "do not match \"*/*\"."
        case .unacceptableContentType(let types, let type):
            "Response Content-Type \"\(type)\" does not match any acceptable types: \(types.joined(separator: ","))."
        case .unacceptableStatusCode(let code): "Response status code was unacceptable: \(code)."
        }
    }
}

extension AFError.ResponseSerializationFailureReason: CustomStringConvertible {
    /// One sentence.
    public var description: String {
        switch self {
        case .inputDataNil: "Response could not be serialized, input data was nil."
        case .inputDataNilOrZeroLength: "Response could not be serialized, input data was nil or zero length."
        case .stringSerializationFailed(let encoding): "String could not be serialized with encoding: \(encoding)."
        case .jsonSerializationFailed(let error): "JSON could not be serialized because of error: \(error)"
        case .decodingFailed(let error): "Response could not be decoded because of error: \(error)"
        }
    }
}
