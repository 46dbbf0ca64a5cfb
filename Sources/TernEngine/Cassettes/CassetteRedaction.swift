// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// Takes secrets out of what a cassette has. Done twice, it changes nothing the second time: a cassette that it would change
/// has secrets.
struct CassetteRedaction {
    let sensitiveFields: SensitiveFields

    func redacted(_ interaction: CassetteInteraction) -> CassetteInteraction {
        CassetteInteraction(request: redacted(interaction.request), response: redacted(interaction.response))
    }

    func redacted(_ request: CassetteInteraction.Request) -> CassetteInteraction.Request {
        var redacted = request
        redacted.url = sensitiveFields.archived(request.url)
        redacted.headers = request.headers.map(field)
        let type = request.headers.value(of: "content-type")
        if let body = request.body, let other = content(body.bytes, of: type) {
            redacted.body = RecordedBytes(other)
            redacted.headers.announce(other.count)
        }
        return redacted
    }

    private func redacted(_ response: CassetteInteraction.Response) -> CassetteInteraction.Response {
        var redacted = response
        redacted.informational = response.informational?.map(head)
        redacted.head = head(response.head)
        redacted.trailers = response.trailers?.map(field)
        redacted.discardedTrailers = response.discardedTrailers?.map(field)
        // Coded content is as it came, unless there are secrets in it.
        let plain = response.decoded
        let headers = response.head.headers
        if let other = content(plain ?? response.body.bytes, of: headers.value(of: "content-type")) {
            redacted.body = RecordedBytes(other)
            if plain != nil { redacted.head.headers.removeAll { $0.name.lowercased() == "content-encoding" } }
            redacted.head.headers.announce(other.count)
        }
        return redacted
    }

    private func head(_ head: CassetteInteraction.Head) -> CassetteInteraction.Head {
        var head = head
        head.headers = head.headers.map(field)
        return head
    }

    private func field(_ field: RecordedField) -> RecordedField {
        var field = field
        if field.name.lowercased() == "set-cookie" {
            field.value = RecordedBytes(text: Self.cookie(String(decoding: field.value.bytes, as: UTF8.self)))
        } else if sensitiveFields.isSecret(fieldNamed: field.name) {
            field.value = RecordedBytes(text: SensitiveFields.placeholder)
        } else if let text = String(validating: field.value.bytes, as: UTF8.self) {
            field.value = RecordedBytes(text: sensitiveFields.archived(text))
        }
        return field
    }

    /// The field keeps the name and the attributes: the client stores a cookie, and sends it.
    private static func cookie(_ text: String) -> String {
        let pair = text.prefix { $0 != ";" }
        guard let equals = pair.firstIndex(of: "=") else { return SensitiveFields.placeholder }
        return "\(pair[..<equals])=\(SensitiveFields.placeholder)\(text[pair.endIndex...])"
    }

    /// Content without its secrets; nil if it has none, or is of a kind in which none are looked for.
    private func content(_ bytes: [UInt8], of type: String?) -> [UInt8]? {
        let redacted: [UInt8]
        switch ContentKind(of: type ?? "") {
        case .json: redacted = JSONSecrets(of: bytes, sensitiveFields).removed
        case .form:
            let text = String(decoding: bytes, as: UTF8.self)
            let form = SensitiveFields.items(
                of: text, hiding: sensitiveFields.redacts(queryItemNamed:), as: SensitiveFields.placeholder)
            redacted = Array(form.utf8)
        case .multipart, .other: return nil
        }
        return redacted == bytes ? nil : redacted
    }
}

extension [RecordedField] {
    /// Content was changed: a field that announces its length does so rightly.
    fileprivate mutating func announce(_ count: Int) {
        for index in indices where self[index].name.lowercased() == "content-length" {
            self[index].value = RecordedBytes(text: "\(count)")
        }
    }
}

extension CassetteInteraction.Response {
    /// The content without its codings; nil if it has none, or cannot be decoded.
    fileprivate var decoded: [UInt8]? {
        guard let head = try? head.head() else { return nil }
        var response = HTTPURLResponse(url: nil, head: head)
        guard var decoding = ContentDecoding.decoding(of: &response, limits: ContentDecodingLimits()) else {
            return nil
        }
        var (offset, output) = (0, [UInt8]())
        repeat {
            let taken = try? decoding.receive(body.bytes.span.extracting(offset...)) { bytes, _ in
                unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
                return output.count <= Cassette.maximumContentLength
            }
            guard let taken, output.count <= Cassette.maximumContentLength else { return nil }
            if taken == 0, !decoding.hasMore { break }
            offset += taken
        } while offset < body.bytes.count || decoding.hasMore
        return output
    }
}

/// Finds the values of members of a JSON text whose names indicate a secret. Reads the text as it stands, well-formed or not:
/// what is not redacted keeps its bytes.
private struct JSONSecrets {
    private let bytes: [UInt8]
    private let sensitiveFields: SensitiveFields

    init(of bytes: [UInt8], _ sensitiveFields: SensitiveFields) {
        (self.bytes, self.sensitiveFields) = (bytes, sensitiveFields)
    }

    var removed: [UInt8] {
        var (output, offset) = ([UInt8](), 0)
        var isSecret = false
        while offset < bytes.count {
            guard bytes[offset] == UInt8(ascii: "\"") else {
                // A value of another kind, or the end of the member.
                if !Self.between.contains(bytes[offset]) { isSecret = false }
                output.append(bytes[offset])
                offset += 1
                continue
            }
            let end = endOfString(from: offset)
            let next = bytes[end...].first { !Self.blanks.contains($0) }
            let isName = next == UInt8(ascii: ":")
            if isSecret, !isName {
                output += Array("\"\(SensitiveFields.placeholder)\"".utf8)
            } else {
                output += bytes[offset..<end]
            }
            isSecret = isName && sensitiveFields.redacts(memberNamed: name(in: offset..<end))
            offset = end
        }
        return output
    }

    private static let blanks = Array(" \t\r\n".utf8)
    private static let between = blanks + [UInt8(ascii: ":")]

    /// The offset behind the closing quote.
    private func endOfString(from start: Int) -> Int {
        var offset = start + 1
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(offset + 1, bytes.count)
    }

    private func name(in range: Range<Int>) -> String {
        let quoted = Array(bytes[range])
        guard case .string(let name)? = (try? JSONReader.read(quoted))?.value else {
            return String(decoding: quoted, as: UTF8.self)
        }
        return name
    }
}
