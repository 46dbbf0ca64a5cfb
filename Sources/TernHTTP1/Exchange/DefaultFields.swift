// SPDX-License-Identifier: Apache-2.0

/// Fields that are added to every request that has none of their name: written and checked once, because all requests of a client
/// have them in common.
public final class DefaultFields: Sendable {
    /// What became of one of them.
    struct Line: Sendable {
        let field: HTTPField
        /// Where its line is among ``bytes``; empty for a field that the encoder writes itself.
        let range: Range<Int>
        let facts: RequestFacts
        /// Why no request can carry it. Whoever has a field of its name is not concerned.
        let refusal: HTTP1Error?
    }

    /// The fields as they were given.
    public let fields: HTTPFields
    let lines: [Line]
    let bytes: [UInt8]
    /// Of all lines.
    let facts: RequestFacts
    /// Whether every line can be written as it is: none is the encoder's own, and none is refused.
    let isPlain: Bool

    /// Never fails: what cannot be encoded fails the requests that it would be added to.
    public init(_ fields: HTTPFields) {
        var (lines, bytes, all, isPlain): ([Line], [UInt8], RequestFacts, Bool) = ([], [], RequestFacts(), true)
        let storage = fields.storage
        for index in storage.indices {
            let start = bytes.count
            if !RequestField.isEncoders(storage[index].name) {
                bytes.append(contentsOf: "\(storage[index].name): \(storage[index].value)\r\n".utf8)
            }
            var written = WrittenFields(at: start)
            var refusal: HTTP1Error?
            do throws(HTTP1Error) { try written.check(bytes.span, storage, index) } catch { refusal = error }
            let line = Line(field: storage[index], range: start..<bytes.count, facts: written.facts, refusal: refusal)
            lines.append(line)
            all.formUnion(line.facts)
            if line.range.isEmpty || refusal != nil { isPlain = false }
        }
        self.fields = fields
        self.lines = lines
        self.bytes = bytes
        facts = all
        self.isPlain = isPlain
    }
}

extension DefaultFields: ExpressibleByDictionaryLiteral {
    /// Names and values in the order written.
    public convenience init(dictionaryLiteral elements: (String, String)...) {
        self.init(HTTPFields(elements.map { HTTPField(name: $0.0, value: $0.1) }))
    }
}
