// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

/// The head of a response, with the names of Foundation's `HTTPURLResponse`. Strings are made on demand.
public struct HTTPURLResponse: Sendable {
    /// The URL of the response.
    public let url: URL?
    /// The head as received.
    public let head: ResponseHead
    /// Whether the body is delivered decoded, without the coding that its `Content-Encoding` names. The header fields
    /// are as received.
    public internal(set) var isContentDecoded = false
    /// The redirects and the answered challenges that led here, in order; the last
    /// ``RedirectPolicy/maximumRememberedHops`` of more.
    public let history: [HTTPURLResponse]

    /// A response with this head, after these responses.
    public init(url: URL?, head: ResponseHead, history: [HTTPURLResponse] = []) {
        self.url = url
        self.head = head
        self.history = history
    }

    /// 100 to 999 (RFC 9110 §15).
    public var statusCode: Int { head.status }

    /// The text after the status code; often empty, and without meaning (RFC 9112 §4).
    public var reasonPhrase: String { head.reason }

    /// Header fields in order of arrival, with repeats and the original case of names.
    public var headers: HeaderFields { head.fields }

    /// Header fields as a dictionary; the values of a repeated name are joined with a comma.
    public var allHeaderFields: [String: String] {
        head.fields.dictionary
    }

    /// The value of a header field, whatever the case of its name; the values of a repeated field are joined with ", ",
    /// those of `Set-Cookie` too, as in URLSession. A cookie may contain ", ", so read single cookies from
    /// `head.values(for: "Set-Cookie")`.
    public func value(forHTTPHeaderField name: String) -> String? {
        guard name.utf8.count == 10, name.lowercased() == "set-cookie" else { return head[name] }
        let cookies = head.values(for: name)
        return cookies.isEmpty ? nil : cookies.joined(separator: ", ")
    }

    /// The length that the head announces, in bytes; -1 if it announces none, and if the body is decoded: that length
    /// is of the coded body, as in Foundation.
    public var expectedContentLength: Int64 { isContentDecoded ? -1 : head.contentLength.map(Int64.init) ?? -1 }

    /// The announced length of the body, in bytes; nil if the head has none. After HEAD and with 304 it is the length
    /// that GET would return (RFC 9110 §8.6).
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
