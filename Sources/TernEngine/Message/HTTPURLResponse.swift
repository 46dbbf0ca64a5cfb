// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
public import TernHTTP1

/// What a response answers: a request, or what a caller says.
class ResponseContext: @unchecked Sendable {
    var url: URL? { nil }
    var history: [HTTPURLResponse] { [] }
    /// What a layer above shows in place of the response, which did not come by HTTP; nil for one that did.
    var otherForm: (any Sendable)? { nil }
}

private final class PlainContext: ResponseContext, @unchecked Sendable {
    private let responseURL: URL?
    private let earlier: [HTTPURLResponse]
    private let shown: (any Sendable)?

    init(_ url: URL?, _ history: [HTTPURLResponse], shownAs other: (any Sendable)?) {
        (responseURL, earlier, shown) = (url, history, other)
    }

    override var url: URL? { responseURL }
    override var history: [HTTPURLResponse] { earlier }
    override var otherForm: (any Sendable)? { shown }
}

/// What a provider's response answers, until the task has it: it has a URL of the provider's.
final class ProviderContext: ResponseContext, @unchecked Sendable {
    private let responseURL: URL
    private let shown: (any Sendable)?

    init(_ url: URL, shownAs other: (any Sendable)?) { (responseURL, shown) = (url, other) }

    override var url: URL? { responseURL }
    override var otherForm: (any Sendable)? { shown }
}

/// The head of a response, with the names of Foundation's `HTTPURLResponse`. Strings are made on demand.
public struct HTTPURLResponse: Sendable {
    /// The head as received. Its annex is the response's context, so that a response is one reference.
    public let head: ResponseHead
    /// Whether the body is delivered decoded, without the coding that its `Content-Encoding` names. The header fields
    /// are as received.
    public internal(set) var isContentDecoded = false

    /// A response with this head, after these responses.
    public init(url: URL?, head: ResponseHead, history: [HTTPURLResponse] = []) {
        self.init(url: url, head: head, history: history, shownAs: nil)
    }

    /// The same, and a layer above shows something else in its place.
    init(url: URL?, head: ResponseHead, history: [HTTPURLResponse], shownAs other: (any Sendable)?) {
        self.init(attached: head.attached(to: PlainContext(url, history, shownAs: other)))
    }

    /// A response with this head in this context.
    // A function borrows both, where an initialiser would retain them.
    static func having(_ head: ResponseHead, of context: ResponseContext) -> HTTPURLResponse {
        HTTPURLResponse(attached: head.attached(to: context))
    }

    private init(attached head: ResponseHead) { self.head = head }

    private var context: ResponseContext? { head.annex as? ResponseContext }

    /// The URL of the response.
    public var url: URL? { context?.url }

    /// The redirects and the answered challenges that led here, in order; the last
    /// ``RedirectPolicy/maximumRememberedHops`` of more.
    public var history: [HTTPURLResponse] { context?.history ?? [] }

    /// 100 to 999 (RFC 9110 §15).
    public var statusCode: Int { head.status }

    /// The text after the status code; often empty, and without meaning (RFC 9112 §4).
    public var reasonPhrase: String { head.reason }

    /// Header fields in order of arrival, with repeats and the original case of names.
    public var headers: HeaderFields { head.fields }

    /// What a layer above shows in place of the response, which did not come by HTTP; nil for one that did.
    package var otherForm: (any Sendable)? { context?.otherForm }

    /// The same response, in place of which a layer above shows `other`.
    package func shown(as other: any Sendable) -> HTTPURLResponse {
        HTTPURLResponse(url: url, head: head, history: history, shownAs: other)
    }

    /// Header fields as a dictionary, as Foundation has it: the values of a repeated name are joined with a comma, and names
    /// of standards are written `Content-Type`, whatever the case that they came in. Made anew each time.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
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

    /// The maximum length of a media type, in bytes: four times what RFC 6838 §4.2 permits.
    private static let maximumMediaTypeLength = 1024

    /// The media type without its parameters, in lower case; nil for one of more than 1,024 bytes.
    public var mimeType: String? {
        guard let value = head["Content-Type"] else { return nil }
        let type = value.utf8.prefix(Self.maximumMediaTypeLength + 1).prefix { $0 != UInt8(ascii: ";") }
        if type.count > Self.maximumMediaTypeLength { return nil }
        let name = String(Substring(type)).filter { $0 != " " && $0 != "\t" }
        return name.isEmpty ? nil : name.lowercased()
    }
}

extension HTTPURLResponse {
    /// Creates a response, for example for tests of a serializer, in Foundation's form. The fields that frame content may
    /// contradict each other, because there is none. Nil if the status or a field cannot stand in a head.
    ///
    /// - Parameters:
    ///   - url: the URL of the response.
    ///   - statusCode: 0 to 999.
    ///   - httpVersion: "HTTP/1.0", or any other text or nil for HTTP/1.1.
    ///   - headerFields: in the order of their names.
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
        let fields = (headerFields ?? [:]).sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        let version = HTTPVersion(major: 1, minor: httpVersion == "HTTP/1.0" ? 0 : 1)
        let head = try? ResponseHead(
            withoutContent: statusCode, version: version, fields: HeaderFields(fields))
        guard let head else { return nil }
        self.init(url: url, head: head)
    }

    /// Creates a response with the status 200 and no fields.
    package init(withoutFieldsFrom url: URL?) { self.init(url: url, head: ResponseHead()) }

    /// Creates a response. Throws if no server could send such a head.
    ///
    /// - Parameters:
    ///   - url: the URL of the response.
    ///   - statusCode: 100 to 999.
    ///   - version: of major version 1.
    ///   - reasonPhrase: the text after the status code.
    ///   - headers: the fields in order.
    public init(
        url: URL?, statusCode: Int, version: HTTPVersion = HTTPVersion(major: 1, minor: 1), reasonPhrase: String = "",
        headers: HeaderFields = [:]
    ) throws(HTTPProtocolError) {
        self.init(
            url: url,
            head: try ResponseHead(status: statusCode, version: version, reason: reasonPhrase, fields: headers))
    }
}

extension HTTPURLResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// "200 https://example.com/path"; without userinfo, query and headers, which may hold secrets.
    public var description: String { url.map { "\(statusCode) \(Self.place($0.absoluteString))" } ?? "\(statusCode)" }

    /// The same and the header fields, sensitive ones without their values.
    public var debugDescription: String { "\(description)\n\(headers)" }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["response": debugDescription]) }

    /// A URL without what may be secret.
    package static func place(_ url: String) -> String {
        guard let destination = try? Destination(absoluteString: url) else { return "(not a URL to be requested)" }
        let origin = "\(destination.origin.scheme)://\(destination.origin.hostField)"
        guard case .origin(let target) = destination.target else { return origin }
        return origin + target.prefix { $0 != "?" }
    }
}

extension HTTPURLResponse {
    /// A name for a file with the body: the server's proposal in `Content-Disposition` (RFC 6266), else the last
    /// component of the URL's path, else "Unknown" as in Foundation.
    ///
    /// Always one component that stays in its folder: it contains no `/`, `\`, NUL or control character, begins with no
    /// dot, and has at most 255 bytes. A file of that name may exist.
    public var suggestedFilename: String? { proposedFilename ?? urlFilename ?? "Unknown" }

    /// The server's proposal; nil if it is not usable as a file name.
    public var proposedFilename: String? {
        head["Content-Disposition"].flatMap { ContentDisposition($0).fileName }.flatMap(FileName.safe)
    }

    /// The URL's proposal.
    var urlFilename: String? {
        if let url, url.scheme == nil { return FileName.safe(url.lastPathComponent) }
        guard let url, let target = try? Destination(absoluteString: url.absoluteString).target,
            case .origin(let path) = target,
            let last = path.prefix(while: { $0 != "?" }).utf8.split(separator: UInt8(ascii: "/")).last
        else { return nil }
        return FileName.safe(ByteText.text(ofPath: PercentEncoding.decoded(Array(last)[...]) ?? Array(last)))
    }
}
