// SPDX-License-Identifier: Apache-2.0

/// Encodes request heads.
///
/// In three steps: it plans the fields, writes them, and then reads the written bytes again, looking for anything that
/// a server would parse differently. The last step checks the very bytes that are sent, so it needs no trust in the
/// source strings; the bytes of the defaults were checked when they were made. When a step throws, the output is
/// unchanged.
struct RequestEncoder: ~Copyable {
    private let method: RequestMethod
    /// The caller's own `Host`; nil for that of the head.
    private let ownHost: String?
    private let framing: RequestFraming
    /// The length of the head in bytes.
    private let length: Int

    static func encode(
        _ head: borrowing RequestHead, _ body: RequestBodyFraming, _ defaults: DefaultFields, into output: inout [UInt8]
    ) throws(HTTPProtocolError) -> RequestTraits {
        let encoder = try RequestEncoder(head, head.fields.storage, body, defaults)
        let start = output.count
        encoder.write(head, head.fields.storage, defaults, into: &output)
        do throws(HTTPProtocolError) {
            var traits = try encoder.check(output.span, from: start, head, head.fields.storage, defaults)
            traits.isHead = encoder.method == .head
            traits.isConnect = encoder.method == .connect
            if traits.expectsContinue, body == .none || body == .exactly(0) {
                throw HTTPProtocolError(.request(.expectationWithoutContent))
            }
            return traits
        } catch {
            output.removeLast(output.count &- start)
            throw error
        }
    }

    private init(
        _ head: borrowing RequestHead, _ fields: [HeaderField], _ body: RequestBodyFraming, _ defaults: DefaultFields
    ) throws(HTTPProtocolError) {
        let method = RequestMethod(head.method)
        try head.target.check(for: method)
        var plan = RequestFraming.Plan(method, body)
        // The line of the method, target and version, the one of Host, and the empty one.
        var length = head.method.utf8.count &+ head.target.length &+ 12 &+ 8 &+ 2
        for index in fields.indices { length &+= try plan.add(fields[index]) }
        if defaults.canCopyWhole(with: fields) {
            length &+= defaults.bytes.count
        } else {
            for line in defaults.lines where !fields.contains(line.field.name) { length &+= try plan.add(line.field) }
        }
        if plan.host == nil { try head.checkHost() }
        framing = try plan.framing()
        self.method = method
        ownHost = plan.host
        self.length = length &+ head.hostLength(ownHost) &+ framing.length
    }

    private func write(
        _ head: borrowing RequestHead, _ fields: [HeaderField], _ defaults: DefaultFields, into output: inout [UInt8]
    ) {
        let start = output.count
        let room = length
        output.append(addingCapacity: room) { $0.append(repeating: 0, count: room) }
        var bytes = output.mutableSpan
        var end = bytes.write(head.method, at: start)
        end = bytes.write(.space, at: end)
        end = head.target.write(into: &bytes, at: end)
        end = bytes.write(" HTTP/1.1\r\nHost: ", at: end)
        end = head.writeHost(ownHost, into: &bytes, at: end)
        end = bytes.writeLineEnd(at: end)
        for index in fields.indices { end = Self.write(fields, index, into: &bytes, at: end) }
        let written = defaults.bytes
        if defaults.canCopyWhole(with: fields) {
            end = bytes.write(written.span, at: end)
        } else {
            for line in defaults.lines where !fields.contains(line.field.name) {
                end = bytes.write(written.span.extracting(line.range), at: end)
            }
        }
        end = framing.write(into: &bytes, at: end)
        _ = bytes.writeLineEnd(at: end)
    }

    @inline(__always)
    private static func write(
        _ fields: [HeaderField], _ index: Int, into bytes: inout MutableSpan<UInt8>, at start: Int
    ) -> Int {
        if RequestField.isEncoders(fields[index].name) { return start }
        var end = bytes.write(fields[index].name, at: start)
        end = bytes.write(.colon, at: end)
        end = bytes.write(.space, at: end)
        end = bytes.write(fields[index].content, at: end)
        return bytes.writeLineEnd(at: end)
    }

    /// Checks that every delimiter is where it was put, and nowhere else (RFC 9112 §3, §5).
    private func check(
        _ bytes: Span<UInt8>, from start: Int, _ head: borrowing RequestHead, _ fields: [HeaderField],
        _ defaults: DefaultFields
    ) throws(HTTPProtocolError) -> RequestTraits {
        let methodEnd = start &+ head.method.utf8.count
        guard methodEnd > start, bytes.firstNonToken(from: start) == methodEnd else {
            throw HTTPProtocolError(.request(.method), in: head.method)
        }
        let targetEnd = methodEnd &+ 1 &+ head.target.length
        guard bytes.firstForbiddenInTarget(from: methodEnd &+ 1) == targetEnd else {
            throw HTTPProtocolError(.request(.target), in: head.target.text)
        }
        // The host has been checked already.
        var lines = WrittenFields(at: targetEnd &+ 11 &+ 6 &+ head.hostLength(ownHost) &+ 2)
        for index in fields.indices { try lines.check(bytes, fields, index) }
        var traits = lines.traits
        if defaults.canCopyWhole(with: fields) {
            traits.formUnion(defaults.traits)
        } else {
            for line in defaults.lines where !fields.contains(line.field.name) {
                if let refusal = line.refusal { throw refusal }
                traits.formUnion(line.traits)
            }
        }
        return traits
    }
}

extension DefaultFields {
    /// Whether all lines can be copied at once, as in most requests.
    @inline(__always)
    fileprivate func canCopyWhole(with fields: [HeaderField]) -> Bool { fields.isEmpty && isPlain }
}

// The value of `Host`: of the caller's own field, or else that of the request. CONNECT names the authority it targets (RFC
// 9112 §3.2.3), every other request its origin.
extension RequestHead {
    fileprivate borrowing func checkHost() throws(HTTPProtocolError) {
        if case .authority = target { return }
        if !origin.isEncodable { throw HTTPProtocolError(.request(.host), in: origin.hostField) }
    }

    @inline(__always)
    fileprivate borrowing func hostLength(_ own: String?) -> Int {
        if let own { return own.utf8.count }
        if case .authority = target { return target.length }
        return origin.hostField.utf8.count
    }

    @inline(__always)
    fileprivate borrowing func writeHost(_ own: String?, into bytes: inout MutableSpan<UInt8>, at start: Int) -> Int {
        if let own { return bytes.write(own, at: start) }
        if case .authority = target { return target.write(into: &bytes, at: start) }
        return bytes.write(origin.hostField, at: start)
    }
}

extension RequestTarget {
    /// Whether it fits its form and its method (RFC 9112 §3.2).
    fileprivate borrowing func check(for method: RequestMethod) throws(HTTPProtocolError) {
        switch self {
        case .origin(let path):
            guard path.utf8.first == UInt8(ascii: "/") else { throw HTTPProtocolError(.request(.target), in: path) }
            guard method != .connect else { throw HTTPProtocolError(.request(.targetForm)) }
        case .absolute(let uri):
            guard uri.utf8.contains(.colon) else { throw HTTPProtocolError(.request(.target), in: uri) }
            guard method != .connect else { throw HTTPProtocolError(.request(.targetForm)) }
        case .authority(let authority):
            guard Authority.isHostAndPort(authority.utf8.span) else {
                throw HTTPProtocolError(.request(.target), in: authority)
            }
            guard method == .connect else { throw HTTPProtocolError(.request(.targetForm)) }
        case .asterisk: guard method == .options else { throw HTTPProtocolError(.request(.targetForm)) }
        }
    }

    fileprivate var text: String {
        switch self {
        case .origin(let text), .absolute(let text), .authority(let text): text
        case .asterisk: "*"
        }
    }

    /// The number of its bytes.
    @inline(__always)
    fileprivate var length: Int {
        switch self {
        case .origin(let text), .absolute(let text), .authority(let text): text.utf8.count
        case .asterisk: 1
        }
    }

    @inline(__always)
    fileprivate borrowing func write(into bytes: inout MutableSpan<UInt8>, at start: Int) -> Int {
        switch self {
        case .origin(let text), .absolute(let text), .authority(let text): bytes.write(text, at: start)
        case .asterisk: bytes.write("*", at: start)
        }
    }
}

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
        var elements = ListReader(.tokens)
        elements.begin(value)
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
            if elements.isTooLong { traits.asksClose = true }
        }
    }
}

/// The request fields that the encoder interprets.
enum RequestField {
    case expect
    case upgrade
    case connection

    /// Recognised by length and folded words, like ``FramingField``.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        let start = name.lowerBound
        switch name.count {
        case 6 where bytes.extracting(name).isEqualIgnoringCase(to: "expect".utf8.span): self = .expect
        case 7 where bytes.extracting(name).isEqualIgnoringCase(to: "upgrade".utf8.span): self = .upgrade
        case 10 where FramingField(bytes, start..<name.upperBound) == .connection: self = .connection
        case _: return nil
        }
    }

    /// Whether the encoder writes this field itself instead of the caller.
    @inline(__always)
    static func isEncoders(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.isFieldName("Host")
        case 14: name.isFieldName("Content-Length")
        case 17: name.isFieldName("Transfer-Encoding")
        case _: false
        }
    }
}
