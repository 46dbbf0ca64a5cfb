// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

/// The response to a request. That of a server is an ``TernEngine/HTTPURLResponse``: `response as? HTTPURLResponse`.
///
/// It is a protocol, because responses are values here. A program makes one that is not of HTTP by
/// `URLResponse(url:mimeType:expectedContentLength:textEncodingName:)`.
public protocol URLResponse: CustomStringConvertible, Sendable {
    /// The URL of the response.
    var url: URL? { get }
    /// The media type without its parameters; nil if it is unknown.
    var mimeType: String? { get }
    /// The announced length in bytes; negative if it is unknown.
    var expectedContentLength: Int64 { get }
    /// The name of the charset; nil if it is unknown.
    var textEncodingName: String? { get }
    /// A name for a file with the content: one component that stays in its folder.
    var suggestedFilename: String? { get }
    /// Of what `isEqual(_:)` compares.
    var hash: Int { get }
    /// Whether `value` is equal.
    func isEqual(_ value: Any?) -> Bool
    /// The same response.
    func copy() -> Any
    /// The same response.
    func copy(with zone: NSZone?) -> Any
}

/// Whether both are equal, or both are nil.
// A type with an operator of its own means that, as `isEqual(_:)` does.
@_disfavoredOverload
public func == (left: (any URLResponse)?, right: (any URLResponse)?) -> Bool {
    switch (left, right) {
    case (let left?, let right?): left.isEqual(right)
    case (nil, nil): true
    case (nil, _?), (_?, nil): false
    }
}

/// Whether one is unlike the other, or is nil alone.
@_disfavoredOverload
public func != (left: (any URLResponse)?, right: (any URLResponse)?) -> Bool { !(left == right) }

extension URLResponse {
    /// The same response.
    public func copy() -> Any { self }

    /// The same response.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// As the engine has it: one that is not of HTTP has the status 200, and fields that say the same.
    var http: HTTPURLResponse {
        if let response = self as? HTTPURLResponse { return response }
        var fields: [String: String] = [:]
        if mimeType != nil || textEncodingName != nil {
            fields["Content-Type"] = (mimeType ?? "") + (textEncodingName.map { "; charset=\($0)" } ?? "")
        }
        if expectedContentLength >= 0 { fields["Content-Length"] = "\(expectedContentLength)" }
        let response = url.flatMap {
            HTTPURLResponse(url: $0, statusCode: 200, httpVersion: nil, headerFields: fields)
        }
        return (response ?? HTTPURLResponse(withoutFieldsFrom: url)).shown(as: self)
    }
}

/// A response that is not of HTTP, with what it was made with.
package struct PlainURLResponse: URLResponse {
    package let url: URL?
    package let mimeType: String?
    package let expectedContentLength: Int64
    package let textEncodingName: String?

    package init(url: URL, mimeType: String?, expectedContentLength: Int, textEncodingName: String?) {
        (self.url, self.mimeType, self.textEncodingName) = (url, mimeType, textEncodingName)
        self.expectedContentLength = Int64(expectedContentLength)
    }

    package var suggestedFilename: String? { http.suggestedFilename }

    package var description: String { HTTPURLResponse.place(url?.absoluteString ?? "") }

    package var hash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(expectedContentLength)
        return hasher.finalize()
    }

    package func isEqual(_ value: Any?) -> Bool {
        guard let other = value as? PlainURLResponse else { return false }
        return (other.url, other.mimeType, other.expectedContentLength, other.textEncodingName)
            == (url, mimeType, expectedContentLength, textEncodingName)
    }
}

extension HTTPURLResponse: URLResponse {
    /// As a program sees it.
    var shown: any URLResponse { otherForm as? any URLResponse ?? self }

    /// Header fields as `allHeaderFields` of `TernEngine` has them, all of which are text, in the type that
    /// Foundation has.
    public var allHeaderFields: [AnyHashable: Any] { joinedFields }

    /// The charset of the `Content-Type`, in lower case; nil without one.
    public var textEncodingName: String? {
        guard let type = value(forHTTPHeaderField: "Content-Type"), type.utf8.count <= 8192 else { return nil }
        return Self.charset(of: type)?.lowercased()
    }

    /// The charset that a media type names.
    static func charset(of type: String) -> String? {
        for parameter in type.split(separator: ";", omittingEmptySubsequences: false).dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].lowercased() == "charset" else { continue }
            let name = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            return name.isEmpty ? nil : name
        }
        return nil
    }

    /// The words of the standards for a status, as Foundation has them: "Not Found" for 404, and those of its class for an
    /// unknown one.
    public static func localizedString(forStatusCode statusCode: Int) -> String { StatusText.text(of: statusCode) }

    /// Whether `value` is equal.
    public func isEqual(_ value: Any?) -> Bool {
        guard let other = value as? HTTPURLResponse else { return false }
        return other == self
    }

    /// Of URL and status.
    public var hash: Int { hashValue }
}

extension HTTPURLResponse: Hashable {
    /// Whether URL, status and header fields are equal.
    public static func == (left: HTTPURLResponse, right: HTTPURLResponse) -> Bool {
        left.url == right.url && left.statusCode == right.statusCode && left.headers == right.headers
    }

    /// Hashes URL and status.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(statusCode)
    }
}

private enum StatusText {
    static func text(of status: Int) -> String {
        if let text = texts[status] { return text }
        return switch status {
        case 100..<200: "Informational"
        case 200..<300: "Success"
        case 300..<400: "Redirection"
        case 400..<500: "Client Error"
        default: "Server Error"
        }
    }

    private static let texts = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 200: "OK", 201: "Created", 202: "Accepted",
        203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content", 206: "Partial Content",
        207: "Multi-Status", 208: "Already Reported", 226: "IM Used", 300: "Multiple Choices",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 305: "Use Proxy",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Payload Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Entity", 423: "Locked",
        424: "Failed Dependency", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported", 506: "Variant Also Negotiates", 507: "Insufficient Storage",
        508: "Loop Detected", 510: "Not Extended", 511: "Network Authentication Required",
    ]
}
