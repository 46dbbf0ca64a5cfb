// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The lines of a head with their bytes as they came: what a cache leaves out, adds and replaces costs no more than the
/// bytes, whatever they are.
struct HeadLines {
    private struct Field {
        /// In lower case.
        let name: String
        /// With its end.
        let line: [UInt8]
    }

    private var statusLine: [UInt8]
    private var fields: [Field]

    init(_ head: ResponseHead) {
        statusLine = head.encodedStatusLine
        fields = (0..<head.count).map { Field(name: head.name(at: $0).lowercased(), line: head.encodedField(at: $0)) }
    }

    /// Of all fields, in lower case.
    var names: Set<String> { Set(fields.map(\.name)) }

    /// - Parameter names: in lower case.
    mutating func remove(_ names: Set<String>) { fields.removeAll { names.contains($0.name) } }

    /// Replaces the field, at the place of the first of its name, or adds it.
    mutating func set(_ name: String, _ value: String) {
        let field = Field(name: name.lowercased(), line: Array("\(name): \(value)\r\n".utf8))
        guard let first = fields.firstIndex(where: { $0.name == field.name }) else { return fields.append(field) }
        let later = fields[(first + 1)...].filter { $0.name != field.name }
        fields.replaceSubrange(first..., with: [field] + later)
    }

    /// What is about the bytes of the content, and of the representation (RFC 9530 §2, §3; RFC 3230; RFC 2616 §14.15).
    private static let digestsOfContent: Set<String> = ["content-digest", "content-md5"]
    private static let digestsOfRepresentation: Set<String> = ["repr-digest", "digest"]

    /// The head goes with other content from here on: every change of content comes here.
    ///
    /// - Parameters:
    ///   - length: the number of its bytes.
    ///   - isPart: whether it is a part of the same representation, whose digest stays true.
    mutating func changeContent(length: Int64, isPart: Bool) {
        remove(Self.digestsOfContent)
        if !isPart { remove(Self.digestsOfRepresentation) }
        set("Content-Length", "\(length)")
    }

    /// Adds all fields of the other.
    mutating func append(_ other: HeadLines) { fields += other.fields }

    mutating func setStatus(_ status: Int, _ reason: String, version: HTTPVersion) {
        statusLine = Array("\(version) \(status) \(reason)\r\n".utf8)
    }

    /// Nil if no server could send it.
    var head: ResponseHead? {
        var bytes = statusLine
        for field in fields { bytes += field.line }
        return try? ResponseHead(encoded: bytes + [0x0D, 0x0A])
    }
}
