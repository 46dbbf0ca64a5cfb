// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernTLS

extension SessionError {
    /// Why a complete response is not what its caller asked for.
    public enum ResponseFailure: Sendable {
        /// The status is not a success (2xx). `content` is the beginning of the body, at most ``maximumContentLength`` bytes.
        case unsuccessful(HTTPURLResponse, content: Data)
        /// The body is not the value that was to be decoded; with the decoder's error, a `DecodingError` of `JSONDecoder`.
        case undecodable(HTTPURLResponse, content: Data, any Error)

        /// How much of a body an error keeps, in bytes: 64 KB.
        public static let maximumContentLength = 1 << 16

        /// The response.
        public var response: HTTPURLResponse {
            switch self {
            case .unsuccessful(let response, _), .undecodable(let response, _, _): response
            }
        }

        /// The beginning of its body.
        public var content: Data {
            switch self {
            case .unsuccessful(_, let content), .undecodable(_, let content, _): content
            }
        }
    }

    /// The complete response that this error is about (``Reason-swift.enum/response(_:)``); nil for other errors.
    public var refusedResponse: ResponseFailure? { if case .response(let failure) = reason { failure } else { nil } }
}

extension SessionError.ResponseFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .unsuccessful: .httpStatus
        case .undecodable: .valueUndecodable
        }
    }

    var rule: String {
        switch self {
        case .unsuccessful(let response, _): "\(response.statusCode)"
        case .undecodable(_, _, let error): "\(error)".excerpt
        }
    }

    /// One line for a log: with the URL, but for its userinfo and its query, and with the first bytes of the body.
    public var description: String {
        switch self {
        case .unsuccessful(let response, _): "the server answered \(response.statusCode)\(place)\(beginning)"
        case .undecodable(_, let content, _) where content.isEmpty: "the body\(place) is empty, and no value"
        case .undecodable(let response, _, _):
            "the body\(place), \(response.mimeType?.excerpt ?? "without a type"), cannot be decoded: \(rule)\(beginning)"
        }
    }

    private var place: String {
        guard let url = response.url, let scheme = url.scheme, let host = url.host(percentEncoded: true) else {
            return ""
        }
        let port = url.port.map { ":\($0)" } ?? ""
        return " for " + "\(scheme)://\(host)\(port)\(url.path(percentEncoded: true))".excerpt
    }

    /// The first bytes of the body, in one line.
    private var beginning: String {
        let text = PrintableText.replacing(String(decoding: content.prefix(256), as: UTF8.self)) { _ in " " }
        return text.isEmpty ? "" : ": " + text.excerpt
    }
}
