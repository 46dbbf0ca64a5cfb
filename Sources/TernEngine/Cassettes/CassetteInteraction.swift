// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// A request and its response as a line of a cassette has them: names of members are those of the file.
struct CassetteInteraction: Codable, Sendable, Equatable {
    struct Request: Codable, Sendable, Equatable {
        var method: String
        var url: String
        var headers: [RecordedField]
        /// Nil for none, and for content that does not lie in memory.
        var body: RecordedBytes?
    }

    struct Head: Codable, Sendable, Equatable {
        var status: Int
        var reason: String?
        var headers: [RecordedField]
    }

    struct Response: Codable, Sendable, Equatable {
        /// Those before the final one.
        var informational: [Head]?
        var head: Head
        var body: RecordedBytes
        var trailers: [RecordedField]?
        /// Those that are not allowed as trailers.
        var discardedTrailers: [RecordedField]?
        /// The response ended before it was complete.
        var isCut: Bool?

        private enum CodingKeys: String, CodingKey {
            case informational, head, body, trailers, discardedTrailers
            case isCut = "cut"
        }
    }

    var request: Request
    var response: Response
}

extension CassetteInteraction.Request {
    init(_ request: URLRequest) {
        (method, url) = (request.method, (request.url?.absoluteString).map { String($0.prefix { $0 != "#" }) } ?? "")
        headers = request.headers.map { RecordedField($0.name, $0.bytes) }
        if case .data(let data)? = request.body, !data.isEmpty { body = RecordedBytes(Array(data)) }
    }
}

extension CassetteInteraction.Head {
    init(_ head: ResponseHead) {
        (status, reason) = (head.status, head.reason.isEmpty ? nil : head.reason)
        headers = (0..<head.count).map { RecordedField(head.name(at: $0), head.bytes(at: $0)) }
    }

    /// Throws if no server could send it.
    func head() throws(HTTPProtocolError) -> ResponseHead {
        try ResponseHead(status: status, reason: reason ?? "", fields: headers.fields)
    }
}

/// A field of a message: an array of its name and its value.
struct RecordedField: Codable, Sendable, Equatable {
    let name: String
    var value: RecordedBytes

    init(_ name: String, _ value: [UInt8]) { (self.name, self.value) = (name, RecordedBytes(value)) }

    init(from decoder: any Decoder) throws {
        var pair = try decoder.unkeyedContainer()
        name = try pair.decode(String.self)
        value = try pair.decode(RecordedBytes.self)
        guard pair.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: pair, debugDescription: "a field has a name and a value")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var pair = encoder.unkeyedContainer()
        try pair.encode(name)
        try pair.encode(value)
    }
}

extension [RecordedField] {
    var fields: HeaderFields { HeaderFields(map { HeaderField(name: $0.name, bytes: $0.value.bytes) }) }

    /// Nil for none.
    init?(of fields: HeaderFields) {
        if fields.isEmpty { return nil }
        self = fields.map { RecordedField($0.name, $0.bytes) }
    }

    /// The first value of a field, as text.
    func value(of name: String) -> String? {
        first { $0.name.lowercased() == name }.map { String(decoding: $0.value.bytes, as: UTF8.self) }
    }
}

/// Bytes, in the file as a text if they are UTF-8, and else as an object with their base64 text.
struct RecordedBytes: Codable, Sendable, Equatable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(text: String) { bytes = [UInt8](text.utf8) }

    private enum CodingKeys: String, CodingKey { case base64 }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text: text)
        } else {
            self.init(Array(try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .base64)))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if let text = String(validating: bytes, as: UTF8.self) {
            var container = encoder.singleValueContainer()
            return try container.encode(text)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Data(bytes), forKey: .base64)
    }
}

// What is compared
extension CassetteInteraction.Request {
    /// Why this is not the request that was recorded; nil if it is.
    func difference(
        from recorded: CassetteInteraction.Request, in matching: Cassette.Matching
    ) -> MissingRecording.Rule? {
        if method != recorded.method || url != recorded.url { return .request }
        let differing = matching.fields.first { name in
            headers.value(of: name.lowercased()) != recorded.headers.value(of: name.lowercased())
        }
        if let differing { return .field(differing) }
        if !matching.comparesContent { return nil }
        return comparable == recorded.comparable ? nil : .content
    }

    /// Content in a form that is the same for the same meaning: JSON without order and blanks, parts of a form without
    /// their boundary.
    private enum Comparable: Equatable {
        case bytes([UInt8])
        case json(JSONMeaning)
    }

    private var comparable: Comparable {
        guard let bytes = body?.bytes else { return .bytes([]) }
        let type = headers.value(of: "content-type") ?? ""
        switch ContentKind(of: type) {
        case .json: return (try? JSONReader.read(bytes)).map { .json(JSONMeaning($0)) } ?? .bytes(bytes)
        case .multipart(let boundary) where !boundary.isEmpty:
            return .bytes(bytes.replacing(Array(boundary.utf8), with: []))
        case .form, .multipart, .other: return .bytes(bytes)
        }
    }
}

/// What a JSON text says, without the order of members and its layout.
private indirect enum JSONMeaning: Equatable {
    case value(JSONNode.Value)
    case array([JSONMeaning])
    case object([String: JSONMeaning])

    init(_ node: JSONNode) {
        switch node.value {
        case .array(let nodes): self = .array(nodes.map(JSONMeaning.init))
        case .object(let members):
            self = .object(Dictionary(members.map { ($0.name, JSONMeaning($0.node)) }) { first, _ in first })
        case let value: self = .value(value)
        }
    }
}

/// How content is read where it is compared, and where secrets are taken out of it.
enum ContentKind {
    case json
    case form
    case multipart(boundary: String)
    case other

    init(of type: String) {
        let parts = type.split(separator: ";").map { $0.drop { $0 == " " } }
        let name = (parts.first ?? "").lowercased().filter { $0 != " " }
        if name == "application/json" || name.hasSuffix("+json") {
            self = .json
        } else if name == "application/x-www-form-urlencoded" {
            self = .form
        } else if name.hasPrefix("multipart/") {
            let boundary = parts.first { $0.lowercased().hasPrefix("boundary=") }?.dropFirst("boundary=".count) ?? ""
            self = .multipart(boundary: String(boundary.filter { $0 != "\"" }))
        } else {
            self = .other
        }
    }
}
