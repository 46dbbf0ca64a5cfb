// SPDX-License-Identifier: Apache-2.0

/// Checks the written field lines one by one: no byte in them may end a name or a value early. It also collects the
/// facts of the request that are needed to read its response.
struct WrittenFields: ~Copyable {
    /// Where the next line begins.
    private(set) var position: Int
    private(set) var traits = RequestTraits()

    init(at position: Int) {
        self.position = position
    }

    /// Checks the line of `fields[index]`, which is the next one.
    @inline(__always)
    mutating func check(_ bytes: Span<UInt8>, _ fields: [HeaderField], _ index: Int) throws(HTTPProtocolError) {
        if RequestField.isEncoders(fields[index].name) { return }
        let nameEnd = position &+ fields[index].name.utf8.count
        guard nameEnd > position, bytes.firstNonToken(from: position) == nameEnd else {
            throw HTTPProtocolError(.request(.fieldName), in: fields[index].name)
        }
        let value = nameEnd &+ 2
        let valueEnd = value &+ fields[index].content.count
        let found = bytes.firstForbiddenInValue(from: value)
        guard found == valueEnd else {
            // The name and the byte only: the rest of the value may be secret.
            var excerpt = fields[index].name + ": \u{2026}"
            if found < bytes.count { Excerpt.append(bytes[found], to: &excerpt) }
            throw HTTPProtocolError(.request(.fieldValue), offset: found &- value, excerpt: excerpt)
        }
        if let field = RequestField(bytes, position..<nameEnd) { apply(field, bytes, value..<valueEnd) }
        position = valueEnd &+ 2
    }

    private mutating func apply(_ field: RequestField, _ bytes: Span<UInt8>, _ value: Range<Int>) {
        var elements = ListElements(value)
        switch field {
        case .upgrade: traits.asksUpgrade = true
        case .expect:
            while let element = elements.next(in: bytes) {
                if bytes.extracting(element).isEqualIgnoringCase(to: "100-continue".utf8.span) {
                    traits.expectsContinue = true
                }
            }
        case .connection:
            while let element = elements.next(in: bytes) {
                if bytes.extracting(element).isEqualIgnoringCase(to: "close".utf8.span) { traits.asksClose = true }
            }
        }
    }
}
