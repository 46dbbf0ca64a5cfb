// SPDX-License-Identifier: Apache-2.0

/// Encodes a request head: first checks every part, then writes, so that a refused request leaves no byte behind.
struct RequestEncoder {
    /// Whether the caller's own framing fields are to be passed over, for they say what the encoder says.
    private(set) var facts = RequestFacts()
    private var host: String?

    /// What RFC 9110 §9.3 and RFC 9112 §3 ask of a request, or an error.
    init(checking head: borrowing RequestHead, _ body: RequestBody, _ defaults: HTTPFields) throws(HTTP1Error) {
        guard head.method.utf8.span.isTokenText else { throw HTTP1Error(.request(.method), in: head.method) }
        facts.isHead = head.method == "HEAD"
        facts.isConnect = head.method == "CONNECT"
        try Self.check(head.target, method: head.method)
        for field in head.fields { try check(field, body) }
        for field in defaults where !head.fields.contains(field.name) { try check(field, body) }
        try checkHost(head)
        try checkContent(head.method, body)
    }

    private static func check(_ target: RequestTarget, method: String) throws(HTTP1Error) {
        let fits: Bool
        let text: String
        switch target {
        case .origin(let path):
            text = path
            fits = path.utf8.first == UInt8(ascii: "/")
        case .absolute(let uri):
            text = uri
            fits = uri.utf8.contains(.colon)
        case .authority(let authority):
            text = authority
            fits = Authority.isHostAndPort(authority.utf8.span)
        case .asterisk:
            text = "*"
            fits = true
        }
        guard fits, text.utf8.span.isTargetText else { throw HTTP1Error(.request(.target), in: text) }
        switch target {
        case .authority: guard method == "CONNECT" else { throw HTTP1Error(.request(.targetForm)) }
        case .asterisk: guard method == "OPTIONS" else { throw HTTP1Error(.request(.targetForm)) }
        case .origin, .absolute: guard method != "CONNECT" else { throw HTTP1Error(.request(.targetForm)) }
        }
    }

    private mutating func check(_ field: HTTPField, _ body: RequestBody) throws(HTTP1Error) {
        try Self.checkSyntax(field)
        switch RequestField(field.name) {
        case .host:
            guard host == nil else { throw HTTP1Error(.request(.host), in: field.value) }
            host = field.value
        case .expect:
            if field.value.isFieldName("100-continue") { facts.expectsContinue = true }
        case .upgrade: facts.asksUpgrade = true
        case .connection:
            var elements = ListElements(0..<field.value.utf8.count)
            let value = field.value.utf8.span
            while let element = elements.next(in: value) {
                if value.extracting(element).isEqualIgnoringCase(to: "close".utf8.span) { facts.asksClose = true }
            }
        case .contentLength:
            guard case .exactly(let length) = body, field.value == String(length) else {
                guard body == .none, field.value == "0" else {
                    throw HTTP1Error(.request(.framingField), in: field.name)
                }
                return
            }
        case .transferEncoding:
            guard body == .chunked, field.value.isFieldName("chunked") else {
                throw HTTP1Error(.request(.framingField), in: field.name)
            }
        case nil: break
        }
    }

    static func checkSyntax(_ field: HTTPField) throws(HTTP1Error) {
        guard field.name.utf8.span.isTokenText else { throw HTTP1Error(.request(.fieldName), in: field.name) }
        let value = field.value.utf8.span
        let wrong = value.firstForbiddenInValue
        guard wrong == value.count else {
            // The name and the byte only: the rest of the value may be a secret.
            var excerpt = field.name + ": \u{2026}"
            Excerpt.append(value[wrong], to: &excerpt)
            throw HTTP1Error(.request(.fieldValue), offset: wrong, excerpt: excerpt)
        }
    }

    /// `CONNECT` names the authority it targets (RFC 9112 §3.2.3), and a `Host` of the caller's own has precedence
    /// over the origin's; either must be one.
    private mutating func checkHost(_ head: borrowing RequestHead) throws(HTTP1Error) {
        var host = host ?? head.origin.hostField
        if self.host == nil, case .authority(let authority) = head.target { host = authority }
        guard Authority.isValid(host.utf8.span) else { throw HTTP1Error(.request(.host), in: host) }
        self.host = host
    }

    private func checkContent(_ method: String, _ body: RequestBody) throws(HTTP1Error) {
        switch body {
        case .exactly(let length) where length < 0: throw HTTP1Error(.request(.negativeLength))
        case .none, .exactly(0):
            if facts.expectsContinue { throw HTTP1Error(.request(.expectationWithoutContent)) }
        case .exactly, .chunked:
            if facts.isConnect || method == "TRACE" { throw HTTP1Error(.request(.contentForbidden), in: method) }
        }
    }

    /// Writes what was checked.
    func write(
        _ head: borrowing RequestHead, _ body: RequestBody, _ defaults: HTTPFields, into output: inout [UInt8]
    ) {
        output.append(contentsOf: head.method.utf8)
        output.append(.space)
        switch head.target {
        case .origin(let text), .absolute(let text), .authority(let text): output.append(contentsOf: text.utf8)
        case .asterisk: output.append(UInt8(ascii: "*"))
        }
        output.append(contentsOf: " HTTP/1.1\r\nHost: ".utf8)
        output.append(contentsOf: (host ?? "").utf8)
        output.append(contentsOf: "\r\n".utf8)
        for field in head.fields { Self.write(field, into: &output) }
        for field in defaults where !head.fields.contains(field.name) { Self.write(field, into: &output) }
        writeFraming(head.method, body, into: &output)
        output.append(contentsOf: "\r\n".utf8)
    }

    private static func write(_ field: HTTPField, into output: inout [UInt8]) {
        switch RequestField(field.name) {
        case .host, .contentLength, .transferEncoding: return
        case .connection, .expect, .upgrade, nil: writeLine(field, into: &output)
        }
    }

    static func writeLine(_ field: HTTPField, into output: inout [UInt8]) {
        output.append(contentsOf: field.name.utf8)
        output.append(contentsOf: ": ".utf8)
        output.append(contentsOf: field.value.utf8)
        output.append(contentsOf: "\r\n".utf8)
    }

    private func writeFraming(_ method: String, _ body: RequestBody, into output: inout [UInt8]) {
        switch body {
        case .none:
            // RFC 9110 §8.6: a server expects content with these methods, and is told that there is none.
            if method == "POST" || method == "PUT" || method == "PATCH" {
                output.append(contentsOf: "Content-Length: 0\r\n".utf8)
            }
        case .exactly(let length):
            output.append(contentsOf: "Content-Length: ".utf8)
            output.append(contentsOf: String(length).utf8)
            output.append(contentsOf: "\r\n".utf8)
        case .chunked:
            output.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
        }
    }
}
