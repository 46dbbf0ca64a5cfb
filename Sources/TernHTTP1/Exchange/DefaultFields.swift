// SPDX-License-Identifier: Apache-2.0

/// Fields that are added to every request that has none of their name: written and checked once, because all requests
/// of a client have them in common.
public struct DefaultFields: Sendable {
    /// What became of one of them.
    struct Line: Sendable {
        let field: HeaderField
        /// Where its line is among ``bytes``; empty for a field that the encoder writes itself.
        let range: Range<Int>
        let traits: RequestTraits
        /// Why no request can carry it. A request that has a field of its name is not concerned.
        let refusal: HTTPProtocolError?
    }

    /// Shared, because every request is handed them.
    private final class Storage: Sendable {
        let fields: HeaderFields
        let lines: [Line]
        let bytes: [UInt8]
        let traits: RequestTraits
        let isPlain: Bool

        static let empty = Storage([:])

        init(_ fields: HeaderFields) {
            var lines: [Line] = []
            var bytes: [UInt8] = []
            var traits = RequestTraits()
            var isPlain = true
            for index in fields.storage.indices {
                let line = Line(fields.storage, index, into: &bytes)
                lines.append(line)
                traits.formUnion(line.traits)
                if line.range.isEmpty || line.refusal != nil { isPlain = false }
            }
            self.fields = fields
            self.lines = lines
            self.bytes = bytes
            self.traits = traits
            self.isPlain = isPlain
        }
    }

    private let storage: Storage

    /// Never fails: what cannot be encoded fails the requests that it would be added to.
    public init(_ fields: HeaderFields) { storage = fields.isEmpty ? .empty : Storage(fields) }

    /// The fields as they were given.
    public var fields: HeaderFields { storage.fields }

    var lines: [Line] { storage.lines }
    var bytes: [UInt8] { storage.bytes }
    /// Of all lines.
    var traits: RequestTraits { storage.traits }
    /// Whether every line can be written as it is: none is the encoder's own, and none is refused.
    var isPlain: Bool { storage.isPlain }
}

extension DefaultFields.Line {
    /// Writes the line of a field, and checks what was written.
    fileprivate init(_ fields: [HeaderField], _ index: Int, into bytes: inout [UInt8]) {
        let start = bytes.count
        field = fields[index]
        if !RequestField.isEncoders(field.name) {
            bytes.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8)
        }
        range = start..<bytes.count
        var written = WrittenFields(at: start)
        do throws(HTTPProtocolError) {
            try written.check(bytes.span, fields, index)
            refusal = nil
        } catch {
            refusal = error
        }
        traits = written.traits
    }
}

extension DefaultFields: ExpressibleByDictionaryLiteral {
    /// Names and values in the order written.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(HeaderFields(elements.map { HeaderField(name: $0.0, value: $0.1) }))
    }
}
