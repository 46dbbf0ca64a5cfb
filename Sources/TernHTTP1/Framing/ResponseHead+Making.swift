// SPDX-License-Identifier: Apache-2.0

extension ResponseHead {
    /// A head of one's own making, as for tests of what reads heads.
    ///
    /// It is written as a server would write it and read as a server's is read, so it can be no head that none could
    /// send.
    ///
    /// - Parameters:
    ///   - status: 100 to 999.
    ///   - version: of major version 1.
    ///   - reason: the words behind the status.
    ///   - fields: the header section. Blanks around a value are left out, as on the wire.
    public init(
        status: Int, version: HTTPVersion = HTTPVersion(major: 1, minor: 1), reason: String = "",
        fields: HTTPFields = [:]
    ) throws(HTTP1Error) {
        guard (100...999).contains(status) else { throw HTTP1Error(.statusLine(.status), in: "\(status)") }
        guard !reason.utf8.contains(where: \.isForbiddenInText) else {
            throw HTTP1Error(.statusLine(.reasonPhrase), in: reason)
        }
        var text = "\(version) \(status) \(reason)\r\n"
        for field in fields {
            try field.check()
            text += "\(field.name): \(field.value)\r\n"
        }
        text += "\r\n"
        self = try ResponseHead(reading: Array(text.utf8))
    }

    private init(reading bytes: [UInt8]) throws(HTTP1Error) {
        var section = SectionDecoder()
        section.begin(at: 0)
        var headers = FramingHeaders()
        var offset = 0
        let block = try section.decode(bytes.span, from: &offset, .header(.none, [])) {
            (bytes, positions, statusLine) throws(HTTP1Error) in
            do throws(FramingHeaders.Refusal) {
                try headers.read(bytes, positions, version: statusLine.version, [], ignoringFraming: false)
            } catch {
                throw HTTP1Error(.framing(error.reason), offset: error.offset)
            }
        }
        guard let block, let statusLine = section.statusLine else { throw HTTP1Error(.truncated(.head)) }
        self.init(statusLine, block, contentLength: headers.contentLength)
    }
}

extension HTTPField {
    /// A name that is a token, and a value that ends where its line does (RFC 9110 §5).
    fileprivate func check() throws(HTTP1Error) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isToken) else { throw HTTP1Error(.request(.fieldName), in: name) }
        // Not the value itself, which may be a secret.
        if value.utf8.contains(where: \.isForbiddenInText) { throw HTTP1Error(.request(.fieldValue), in: name) }
    }
}

extension UInt8 {
    /// Control characters but for the tab.
    fileprivate var isForbiddenInText: Bool { self < .space && self != .horizontalTab || self == .delete }
}

extension Limits {
    /// What positions can count.
    fileprivate static var none: Limits {
        var limits = Limits()
        limits.statusLineBytes = .max
        limits.fieldCount = .max
        limits.fieldLineBytes = .max
        limits.fieldSectionBytes = .max
        return limits.clamped
    }
}
