// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// A form of several parts, `multipart/form-data` (RFC 7578): texts, data, files and streams, in the order they were
/// appended.
///
/// A value: copies are independent. A file's length is read when it is appended, and its content when the form is sent,
/// chunk by chunk: neither it nor the form is ever completely in memory, and there is no temporary file. A file whose
/// length has changed by then fails the request with ``MultipartFormError/fileChanged(path:length:)``.
///
/// ```swift
/// var form = MultipartForm()
/// form.append("Sterna paradisaea", name: "species")
/// try form.append(file: "/var/lib/birds/tern.jpg", name: "picture")
/// let (data, response) = try await session.upload(for: request, from: form)
/// ```
public struct MultipartForm: Sendable {
    /// The boundary between the parts: 64 random bits, so that no part can contain it on purpose.
    public let boundary: String
    /// The length of the parts without boundaries, in bytes; nil if a part's is unknown, or the sum is too large.
    public private(set) var partsLength: Int? = 0
    private(set) var segments: [FormSegment] = []
    /// The length of all segments, as far as it is known.
    private var segmentsLength: Int? = 0

    /// Creates a form without parts.
    public init() { self.init(boundaryPrefix: "tern.boundary.") }

    /// - Parameter boundaryPrefix: a prefix that needs no quotes.
    package init(boundaryPrefix: String) {
        boundary = boundaryPrefix + (0..<16).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
    }

    /// Creates a form with a given boundary.
    ///
    /// - Throws: ``MultipartFormError/invalidBoundary(_:)`` unless it has 1 to 70 characters that need no quotes (RFC
    ///   2046 §5.1.1, RFC 9110 §5.6.2).
    public init(boundary: String) throws(MultipartFormError) {
        guard (1...70).contains(boundary.utf8.count), FormField.isToken(boundary) else {
            throw .invalidBoundary(boundary)
        }
        self.boundary = boundary
    }

    /// The value of the request's Content-Type field.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The length of the form in bytes; nil if a part's is unknown, or the sum is too large: the form is then sent in
    /// chunks.
    public var contentLength: Int? { FormSegment.sum(segmentsLength, closing.count) }

    /// Whether it can be sent again: false if a part is a stream.
    public var isReplayable: Bool { segments.allSatisfy(\.isReplayable) }

    /// The form as the content of a request, which needs a ``contentType`` as well: see ``URLRequest/setForm(_:)``.
    public var body: RequestBody {
        if let data = smallData { return .data(data) }
        let (segments, length) = (segments + [.data(closing)], contentLength)
        guard isReplayable else { return .once(FormSource(segments), length: length) }
        return .stream(length: length) { FormSource(segments) }
    }

    /// Creates a source for the whole form.
    package func makeSource() -> any BodySource { FormSource(segments + [.data(closing)]) }

    /// Appends a checked part.
    mutating func append(_ fields: [HeaderField], _ content: FormSegment) {
        var head = Data("--\(boundary)\r\n".utf8)
        for field in fields {
            head.append(contentsOf: Array("\(field.name): ".utf8) + field.bytes + Array("\r\n".utf8))
        }
        head.append(contentsOf: "\r\n".utf8)
        partsLength = FormSegment.sum(partsLength, content.length)
        for segment in [.data(head), content, .data(Data("\r\n".utf8))] { add(segment) }
    }

    /// Short parts are joined, so that they are sent together.
    private mutating func add(_ segment: FormSegment) {
        segmentsLength = FormSegment.sum(segmentsLength, segment.length)
        guard case .data(let new) = segment, new.count <= Self.shortLength,
            case .data(var last)? = segments.last, last.count <= Self.shortLength
        else { return segments.append(segment) }
        segments.removeLast()
        last.append(new)
        segments.append(.data(last))
    }

    private static let shortLength = 16 * 1024

    /// The whole form, if it is short.
    private var smallData: Data? {
        if segments.isEmpty { return closing }
        guard segments.count == 1, case .data(let data)? = segments.first, data.count <= Self.shortLength else {
            return nil
        }
        return data + closing
    }

    private var closing: Data { Data("--\(boundary)--\r\n".utf8) }
}
