// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernFiles

/// Encodes and decodes resume data. A field value is a text; one whose bytes are not UTF-8 is a list of the text that
/// has a character for each byte, and the name of that charset.
enum ResumeDataCodec {
    private static let format = "tern-resume-data"
    private static let version = 1
    fileprivate static let charset = "iso-8859-1"
    /// The maximum length of a URL is that of a request.
    private static let longest = 256 * 1024

    private struct Written: Encodable {
        let format: String
        let version: Int
        let url: String
        let fields: [[Value]]
        let entityTag: Value?
        let lastModified: String?
        let partialFile: String
        let receivedLength: Int64?
        let totalLength: Int64?
        let source: String?
    }

    private enum Value: Encodable {
        case text(String)
        case latin1(String)

        init(_ value: FieldValue) { self = value.isLatin1 ? .latin1(value.text) : .text(value.text) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .latin1(let text): try container.encode([text, charset])
            }
        }
    }

    static func written(_ data: ResumeData) -> Data {
        var (tag, date): (FieldValue?, String?)
        switch data.validator {
        case .entityTag(let value): tag = value
        case .lastModified(let value): date = value
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let written = Written(
            format: format, version: version, url: data.url.absoluteString,
            fields: data.fields.map { [.text($0.name), Value(FieldValue($0.bytes))] }, entityTag: tag.map(Value.init),
            lastModified: date,
            partialFile: data.partialFile.path(percentEncoded: false), receivedLength: data.countOfBytesReceived,
            totalLength: data.countOfBytesExpectedToReceive, source: data.source?.text)
        // Strings and numbers can always be encoded.
        return (try? encoder.encode(written)) ?? Data()
    }

    static func read(_ data: Data) throws(ResumeDataError) -> ResumeData {
        guard data.count <= longest, let node = try? JSONReader.read(Array(data)), node["format"]?.string == format,
            let version = node["version"]?.integer
        else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion(Int(clamping: version)) }
        guard let path = node["partialFile"]?.string,
            let validator = StrongValidator(
                entityTag: node["entityTag"]?.fieldValue, lastModified: node["lastModified"]?.string)
        else { throw .malformed }
        guard PartialFilePaths.areThoseOf(path) else { throw .suspiciousPath(path) }
        let (received, total) = try lengths(node)
        let (url, fields) = try request(node)
        return ResumeData(
            url: url, partialFile: URL(filePath: path, directoryHint: .notDirectory), countOfBytesReceived: received,
            countOfBytesExpectedToReceive: total, validator: validator,
            source: node["source"]?.string.map(ContentSource.init(text:)), fields: fields)
    }

    /// Reads a file of resume data. An unreadable one counts as missing.
    static func read(at path: String) throws(ResumeDataError) -> ResumeData {
        guard let file = try? OutputFile.openOwned(path), let length = try? file.length else {
            throw .missingFile(path: path)
        }
        guard length <= longest else { throw .malformed }
        var content = [UInt8](repeating: 0, count: Int(length))
        let count = unsafe content.withUnsafeMutableBytes { buffer in
            (try? unsafe file.read(into: buffer, at: 0)) ?? 0
        }
        return try read(Data(content.prefix(count)))
    }

    private static func lengths(_ node: JSONNode) throws(ResumeDataError) -> (received: Int64?, total: Int64?) {
        let (received, total) = (node["receivedLength"], node["totalLength"])
        guard (received == nil) == (received?.integer == nil), (total == nil) == (total?.integer == nil),
            (received?.integer ?? 0) >= 0, (received?.integer ?? 0) <= total?.integer ?? .max
        else { throw .malformed }
        return (received?.integer, total?.integer)
    }

    private static func request(_ node: JSONNode) throws(ResumeDataError) -> (URL, HeaderFields) {
        guard let text = node["url"]?.string, let list = node["fields"]?.elements else { throw .malformed }
        var fields = HeaderFields()
        for field in list {
            guard let parts = field.elements, parts.count == 2, let name = parts[0].string,
                let value = parts[1].fieldValue, ResumeData.isKept(name)
            else { throw .malformed }
            fields.append(HeaderField(name: name, bytes: value.bytes))
        }
        do throws(InvalidRequest) {
            var request = try URLRequest(string: text)
            request.headers = fields
            _ = try request.encodedHead(ExchangeSettings())
            guard let url = request.url else { throw .missingURL }
            return (url, fields)
        } catch {
            throw .invalidRequest
        }
    }
}

extension JSONNode {
    /// Nil also for JSON's null.
    fileprivate subscript(name: String) -> JSONNode? {
        guard case .object(let members) = value, let node = members.first(where: { $0.name == name })?.node else {
            return nil
        }
        if case .null = node.value { return nil }
        return node
    }

    fileprivate var fieldValue: FieldValue? {
        if let string { return FieldValue(string) }
        guard let parts = elements, parts.count == 2, parts[1].string == ResumeDataCodec.charset else { return nil }
        return parts[0].string.flatMap { FieldValue(latin1: $0) }
    }

    fileprivate var string: String? { if case .string(let text) = value { text } else { nil } }

    fileprivate var integer: Int64? { if case .number(let text) = value { Int64(text) } else { nil } }

    fileprivate var elements: [JSONNode]? { if case .array(let nodes) = value { nodes } else { nil } }
}
