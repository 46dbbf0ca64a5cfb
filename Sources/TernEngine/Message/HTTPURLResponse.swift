// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

/// The head of a response, with the names of Foundation's `HTTPURLResponse`. Strings are made when asked for.
public struct HTTPURLResponse: Sendable {
    /// The URL that answered.
    public let url: URL?
    /// The head as it came.
    public let head: ResponseHead
    /// Whether the body is delivered without the coding that its `Content-Encoding` names. The header is told as it
    /// came.
    public internal(set) var isContentDecoded = false
    /// The redirects that led here, in the order they came; the last ``RedirectPolicy/maximumRememberedHops`` of a longer
    /// chain.
    public let history: [HTTPURLResponse]

    /// The response with this head, after these redirects.
    public init(url: URL?, head: ResponseHead, history: [HTTPURLResponse] = []) {
        self.url = url
        self.head = head
        self.history = history
    }

    /// 100 to 999 (RFC 9110 §15).
    public var statusCode: Int { head.status }

    /// The words after the status code; often empty, never to be relied on (RFC 9112 §4).
    public var reasonPhrase: String { head.reason }

    /// Header fields in order of arrival, with repeats and spelling.
    public var headers: HeaderFields { head.fields }

    /// Header fields as a dictionary; the values of a repeated name are joined with a comma.
    public var allHeaderFields: [String: String] {
        head.fields.dictionary
    }

    /// The value of a header field, whatever the case of its name; repeats are joined with a comma.
    public func value(forHTTPHeaderField name: String) -> String? { head[name] }

    /// The length the head announces, in bytes; -1 when it announces none, and where a body is decoded: that length is
    /// of what came, as in Foundation.
    public var expectedContentLength: Int64 { isContentDecoded ? -1 : head.contentLength.map(Int64.init) ?? -1 }

    /// How long the body will be, in bytes; nil if the head does not say. After HEAD and with 304 it tells what GET
    /// would have brought (RFC 9110 §8.6).
    package func bodyLength(answering request: URLRequest) -> Int? {
        request.method == "HEAD" || statusCode == 304 || isContentDecoded ? nil : head.contentLength
    }

    /// The media type without its parameters, in lower case.
    public var mimeType: String? {
        guard let value = head["Content-Type"] else { return nil }
        let type = value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        return type.isEmpty ? nil : type.lowercased()
    }
}
