// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1
public import TernIO

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
/// let request = try URLRequest(string: "https://example.com/sightings")
/// let (data, response) = try await Session().upload(for: request, from: form)
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

    /// The form as the content of a request, which needs a ``contentType`` as well: see
    /// ``URLRequest/setForm(_:)-(MultipartForm)``.
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

extension MultipartForm {
    /// Appends a field of the form with this text.
    public mutating func append(_ text: String, name: String) {
        append(Data(text.utf8), name: name)
    }

    /// Appends a field of the form with these bytes.
    public mutating func append(_ data: Data, name: String) {
        append([FormField.disposition(name: name, fileName: nil)], .data(data))
    }

    /// Appends these bytes as a file.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - name: the name of the form's field.
    ///   - fileName: the file name sent to the server; nil for none.
    ///   - type: the media type; nil derives it from the file name's extension.
    public mutating func append(
        _ data: Data, name: String, fileName: String?, type: String? = nil
    ) throws(MultipartFormError) {
        try append(fields(name, fileName, type ?? fileName.map(MediaTypes.type(ofFile:))), checked: .data(data))
    }

    /// Appends the file at `path`, read when the form is sent.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - name: the name of the form's field.
    ///   - fileName: the file name sent to the server; nil uses the last component of the path.
    ///   - type: the media type; nil derives it from the file name's extension.
    public mutating func append(
        file path: String, name: String, fileName: String? = nil, type: String? = nil
    ) throws(MultipartFormError) {
        let file = try FormFile(path: path)
        let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
        try append(fields(name, fileName, type ?? MediaTypes.type(ofFile: fileName)), checked: .file(file))
    }

    /// Appends the contents of the file at `path` as a field without a file name, read when the form is sent.
    public mutating func append(
        contentsOf path: String, name: String, type: String? = nil
    ) throws(MultipartFormError) {
        let file = try FormFile(path: path)
        try append(fields(name, nil, type), checked: .file(file))
    }

    /// Appends the content of a source, which can be read once: the form can then be sent only once.
    ///
    /// - Parameters:
    ///   - source: read when the form is sent.
    ///   - length: its exact length in bytes; nil sends the form in chunks.
    ///   - name: the name of the form's field.
    ///   - fileName: the file name sent to the server; nil for none.
    ///   - type: the media type; nil derives it from the file name's extension.
    public mutating func append(
        _ source: any BodySource, length: Int?, name: String, fileName: String? = nil, type: String? = nil
    ) throws(MultipartFormError) {
        let fields = fields(name, fileName, type ?? fileName.map(MediaTypes.type(ofFile:)))
        try append(source, length: length, fields: fields)
    }

    /// Appends the content of a source, which can be read once, with exactly these header fields.
    public mutating func append(
        _ source: any BodySource, length: Int?, fields: HeaderFields
    ) throws(MultipartFormError) {
        if let length, length < 0 { throw .invalidLength(length) }
        try append(fields, checked: .source(SingleUseSource(source), length: length))
    }

    /// The content of a part of a form.
    package enum Content {
        case data(Data)
        /// The file at a path, read when the form is sent.
        case file(path: String)
        /// A source that can be read once.
        case source(any BodySource)
    }

    /// Appends a part whose name, file name and media type need not be UTF-8.
    package mutating func append(
        _ content: Content, name: [UInt8], fileName: [UInt8]? = nil, type: [UInt8]? = nil
    ) throws(MultipartFormError) {
        var fields = HeaderFields([FormField.disposition(name: name, fileName: fileName)])
        if let type { fields.append(HeaderField(name: "Content-Type", bytes: type)) }
        switch content {
        case .data(let data): try append(fields, checked: .data(data))
        case .file(let path): try append(fields, checked: .file(FormFile(path: path)))
        case .source(let source): try append(source, length: nil, fields: fields)
        }
    }

    private mutating func append(_ fields: HeaderFields, checked content: FormSegment) throws(MultipartFormError) {
        if let field = fields.first(where: { !FormField.isValid($0) }) { throw .invalidField(name: field.name) }
        let wasKnown = contentLength != nil
        var longer = self
        longer.append(Array(fields), content)
        if wasKnown, content.length != nil, longer.contentLength == nil { throw .tooLarge }
        self = longer
    }

    private func fields(_ name: String, _ fileName: String?, _ type: String?) -> HeaderFields {
        var fields = HeaderFields([FormField.disposition(name: name, fileName: fileName)])
        if let type { fields.append("Content-Type", type) }
        return fields
    }
}

extension URLRequest {
    /// Sets this form as the body, and the Content-Type field. The method is unchanged.
    public mutating func setForm(_ form: MultipartForm) {
        body = form.body
        setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    }
}

/// Why a form cannot be created, or sent completely.
public enum MultipartFormError: Error, Sendable, Hashable {
    /// A file cannot be opened or read.
    case unreadable(path: String, SystemCallError)
    /// A part would be read from a file without a length, such as a directory or a pipe: use a stream instead.
    case noRegularFile(path: String)
    /// The length of a file, in bytes, has changed since it was appended.
    case fileChanged(path: String, length: Int64)
    /// A header field of a part is invalid: its name is not a token, or its value contains a control character (RFC
    /// 9110 §5.5).
    case invalidField(name: String)
    /// The boundary needs quotes, or is longer than 70 characters (RFC 2046 §5.1.1).
    case invalidBoundary(String)
    /// A part's length is negative.
    case invalidLength(Int)
    /// The lengths of the parts add up to more than 2⁶³ - 1 bytes.
    case tooLarge
    /// A stream ended this number of bytes before its announced length.
    case streamTooShort(missing: Int)
    /// A stream returned at least this number of bytes more than it announced.
    case streamTooLong(excess: Int)
    /// A stream can be read once, and has been read.
    case streamAlreadyUsed
}

extension MultipartFormError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "\(path) cannot be read: \(error)"
        case .noRegularFile(let path): "\(path) is no regular file"
        case .fileChanged(let path, let length): "\(path) is no longer \(length) bytes long"
        case .invalidField(let name): "the field \(String(reflecting: name)) of a part cannot be written"
        case .invalidBoundary(let boundary): "\(String(reflecting: boundary)) cannot be a boundary"
        case .invalidLength(let length): "a part cannot be \(length) bytes long"
        case .tooLarge: "the form is longer than can be counted"
        case .streamTooShort(let missing): "a part's stream ended \(missing) bytes before its announced length"
        case .streamTooLong(let excess): "a part's stream is at least \(excess) bytes longer than announced"
        case .streamAlreadyUsed: "a part's stream can be read only once, and has been read"
        }
    }
}
