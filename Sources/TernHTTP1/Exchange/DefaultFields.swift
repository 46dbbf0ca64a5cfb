// SPDX-License-Identifier: Apache-2.0

/// Fields that are added to every request that has no field of their name. They are written and checked once, because
/// all requests of a client share them.
public struct DefaultFields: Sendable {
    /// The state of one default field.
    struct Line: Sendable {
        let field: HeaderField
        /// Where its line is among ``bytes``; empty for a field that the encoder writes itself.
        let range: Range<Int>
        let traits: RequestTraits
        /// The error for every request that lacks a field of this name and would get this one.
        let refusal: HTTPProtocolError?
    }

    /// A class, so that every request can share it.
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

    /// Never fails: a field that cannot be encoded fails the requests that would get it.
    public init(_ fields: HeaderFields) { storage = fields.isEmpty ? .empty : Storage(fields) }

    /// The fields as given.
    public var fields: HeaderFields { storage.fields }

    var lines: [Line] { storage.lines }
    var bytes: [UInt8] { storage.bytes }
    /// Of all lines.
    var traits: RequestTraits { storage.traits }
    /// Whether every line can be copied unchanged: the encoder writes none of them itself, and none is invalid.
    var isPlain: Bool { storage.isPlain }
}

extension DefaultFields.Line {
    /// Writes the line of a field and checks the written bytes.
    fileprivate init(_ fields: [HeaderField], _ index: Int, into bytes: inout [UInt8]) {
        let start = bytes.count
        field = fields[index]
        if !RequestField.isEncoders(field.name) {
            bytes += Array("\(field.name): ".utf8) + field.bytes + [.carriageReturn, .lineFeed]
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
