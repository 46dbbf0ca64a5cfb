// SPDX-License-Identifier: Apache-2.0

extension ResponseHead {
    /// Creates a head, for example for tests of code that reads heads.
    ///
    /// The head is encoded and decoded again, so it is always one that a server could send.
    ///
    /// - Parameters:
    ///   - status: 100 to 999.
    ///   - version: of major version 1.
    ///   - reason: the reason phrase after the status.
    ///   - fields: the header section. Whitespace around a value is removed, as on the wire.
    public init(
        status: Int, version: HTTPVersion = HTTPVersion(major: 1, minor: 1), reason: String = "",
        fields: HeaderFields = [:]
    ) throws(HTTPProtocolError) {
        guard (100...999).contains(status) else { throw HTTPProtocolError(.statusLine(.status), in: "\(status)") }
        self = try ResponseHead(reading: try Self.encoded(status, version, reason, fields))
    }

    /// Creates a head that describes no message: its status may be any of three digits, and the fields that frame content
    /// may contradict each other. ``contentLength`` is the value of a `Content-Length` that is a number.
    package init(
        withoutContent status: Int, version: HTTPVersion, fields: HeaderFields
    ) throws(HTTPProtocolError) {
        guard (0...999).contains(status) else { throw HTTPProtocolError(.statusLine(.status), in: "\(status)") }
        let bytes = try Self.encoded(status, version, "", fields)
        let length = fields["Content-Length"].flatMap { Int($0) }
        self = try ResponseHead(reading: bytes, announcing: .some(length.flatMap { $0 < 0 ? nil : $0 }))
    }

    private static func encoded(
        _ status: Int, _ version: HTTPVersion, _ reason: String, _ fields: HeaderFields
    ) throws(HTTPProtocolError) -> [UInt8] {
        guard !reason.utf8.contains(where: \.isForbiddenInText) else {
            throw HTTPProtocolError(.statusLine(.reasonPhrase), in: reason)
        }
        let digits = [UInt8(status / 100), UInt8(status / 10 % 10), UInt8(status % 10)].map { 0x30 + $0 }
        var bytes = Array("\(version) ".utf8) + digits + Array(" \(reason)\r\n".utf8)
        for field in fields {
            try field.check()
            bytes += Array("\(field.name): ".utf8) + field.bytes + [.carriageReturn, .lineFeed]
        }
        return bytes + [.carriageReturn, .lineFeed]
    }

    /// A head with the status 200 and no fields.
    package init() {
        let bytes = Array("HTTP/1.1 200 \r\n".utf8)
        var line = StatusLine()
        (line.status, line.reasonEnd, line.length) = (200, UInt32(StatusLine.reasonStart), UInt32(bytes.count))
        self.init(FieldBlock(copying: bytes.span, positions: Span(), hasFolds: false, statusLine: line))
    }

    /// Reads what ``encoded`` returned.
    package init(encoded bytes: [UInt8]) throws(HTTPProtocolError) { self = try ResponseHead(reading: bytes) }

    /// - Parameter length: the length of the content in place of what the fields say, which are not compared then; nil for
    ///   what they say.
    private init(reading bytes: [UInt8], announcing length: Int?? = nil) throws(HTTPProtocolError) {
        var section = SectionDecoder()
        section.begin(at: 0)
        var headers = FramingHeaders()
        var offset = 0
        let block = try section.decode(bytes.span, from: &offset, .header(.none, [])) {
            (bytes, positions, statusLine) throws(HTTPProtocolError) in
            do throws(FramingHeaders.Refusal) {
                try headers.read(
                    bytes, positions, version: statusLine.version, [], ignoringFraming: length != nil)
                return length ?? headers.contentLength
            } catch {
                throw HTTPProtocolError(.framing(error.reason), offset: error.offset)
            }
        }
        guard let block else { throw HTTPProtocolError(.truncated(.head)) }
        self.init(block)
    }
}

extension HeaderField {
    /// Whether the name is a token and the value has no byte that would end its line early (RFC 9110 §5).
    fileprivate func check() throws(HTTPProtocolError) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isToken) else {
            throw HTTPProtocolError(.request(.fieldName), in: name)
        }
        // Without the value, which may be secret.
        if value.utf8.contains(where: \.isForbiddenInText) { throw HTTPProtocolError(.request(.fieldValue), in: name) }
    }
}

extension UInt8 {
    /// Control characters except the tab.
    fileprivate var isForbiddenInText: Bool { self < .space && self != .horizontalTab || self == .delete }
}

extension ParsingLimits {
    /// The range of field positions.
    fileprivate static var none: ParsingLimits {
        var limits = ParsingLimits()
        limits.maximumStatusLineSize = .max
        limits.maximumFieldCount = .max
        limits.maximumFieldLineSize = .max
        limits.maximumFieldSectionSize = .max
        return limits.clamped
    }
}
