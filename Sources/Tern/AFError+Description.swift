// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension AFError: LocalizedError {
    /// Alamofire 4's messages for `localizedDescription`, without the user and password of a URL.
    public var errorDescription: String? { text { "\n\($0.localizedDescription)" } }
}

extension AFError: CustomStringConvertible {
    /// The same in one line, with the underlying error's own description: Foundation's messages for many errors are the
    /// same on Linux.
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
