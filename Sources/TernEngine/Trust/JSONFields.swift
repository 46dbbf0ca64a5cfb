// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
package import TernTLS

/// The members of one object, taken by name and type. The error of a missing, misplaced or unknown member has its line
/// and field.
package struct JSONFields {
    private let element: JSONElement
    private var members: [JSONNode.Member]
    /// The names that were asked for and are not there.
    private var absent: [String] = []

    /// Reads a whole text as one object.
    package init(reading text: [UInt8]) throws(PolicyFileError) {
        let node: JSONNode
        do throws(JSONError) {
            node = try JSONReader.read(text)
        } catch {
            throw JSONElement.error(.invalidJSON("\(error)"), field: "", at: error.offset, in: text)
        }
        try self.init(JSONElement(node: node, path: "", text: text))
    }

    package init(_ element: JSONElement) throws(PolicyFileError) {
        guard case .object(let members) = element.node.value else { throw element.wrongType("an object") }
        self.members = members
        self.element = element
    }

    package func contains(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// Takes a member. JSON's null counts as absent.
    package mutating func take(_ name: String) -> JSONElement? {
        guard let index = members.firstIndex(where: { $0.name == name }) else {
            absent.append(name)
            return nil
        }
        let member = members.remove(at: index)
        if case .null = member.node.value { return nil }
        return JSONElement(node: member.node, path: field(name), text: element.text)
    }

    /// Takes a required member.
    package mutating func require(_ name: String) throws(PolicyFileError) -> JSONElement {
        if let element = take(name) { return element }
        if let member = members.first(where: { $0.name.isMisspelling(of: name) }) {
            throw error(.misspelledField(meant: name), member.name, member.offset)
        }
        throw error(.missingField, name, element.node.offset)
    }

    /// The maximum number of certificates between a server's own and its anchor.
    package mutating func pathDepth() throws(PolicyFileError) -> Int? { try take("maxPathDepth")?.number(in: 0...10) }

    /// Refuses the members that were not taken.
    package func finish() throws(PolicyFileError) {
        guard let member = members.first else { return }
        let meant = absent.first { member.name.isMisspelling(of: $0) }
        throw error(meant.map { .misspelledField(meant: $0) } ?? .unknownField, member.name, member.offset)
    }

    /// The error of an element of the list `name`, which may have been taken.
    func error(_ reason: PolicyFileError.Reason, ofElement index: Int, of name: String) -> PolicyFileError {
        guard case .object(let all) = element.node.value, let member = all.first(where: { $0.name == name }),
            case .array(let nodes) = member.node.value, nodes.indices.contains(index)
        else { return element.error(reason) }
        return JSONElement.error(reason, field: "\(field(name))[\(index)]", at: nodes[index].offset, in: element.text)
    }

    private func error(_ reason: PolicyFileError.Reason, _ name: String, _ offset: Int) -> PolicyFileError {
        JSONElement.error(reason, field: field(name), at: offset, in: element.text)
    }

    private func field(_ name: String) -> String { element.path.isEmpty ? name : element.path + "." + name }
}

extension String {
    /// Whether this differs from `name` only by two or three letters in one place, or by case.
    fileprivate func isMisspelling(of name: String) -> Bool {
        let (mine, other) = (Array(lowercased().utf8.prefix(64)), Array(name.lowercased().utf8))
        let beginning = zip(mine, other).prefix { $0 == $1 }.count
        let ending = zip(mine.dropFirst(beginning).reversed(), other.dropFirst(beginning).reversed())
            .prefix { $0 == $1 }.count
        let longest = max(mine.count, other.count)
        return longest - beginning - ending <= 2 && beginning + ending >= 2
    }
}

/// A JSON value with its path, read as a required type.
package struct JSONElement {
    package let node: JSONNode
    /// For example `pinSets[0].pins`.
    package let path: String
    fileprivate let text: [UInt8]

    package func string() throws(PolicyFileError) -> String {
        guard case .string(let string) = node.value else { throw wrongType("a string") }
        return string
    }

    package func boolean() throws(PolicyFileError) -> Bool {
        guard case .boolean(let boolean) = node.value else { throw wrongType("true or false") }
        return boolean
    }

    func number(in range: ClosedRange<Int>) throws(PolicyFileError) -> Int {
        guard case .number(let text) = node.value else { throw wrongType("a number") }
        guard let number = Int(text), range.contains(number) else {
            throw error(.outOfRange(ShortenedText.shortened(text), allowed: range))
        }
        return number
    }

    /// The elements of an array, each as `read` reads it.
    package func elements<Value>(
        _ read: (JSONElement) throws(PolicyFileError) -> Value
    ) throws(PolicyFileError) -> [Value] {
        guard case .array(let nodes) = node.value else { throw wrongType("an array") }
        var values: [Value] = []
        for (index, node) in nodes.enumerated() {
            values.append(try read(JSONElement(node: node, path: "\(path)[\(index)]", text: text)))
        }
        return values
    }

    package func elements() throws(PolicyFileError) -> [JSONElement] { try elements { $0 } }

    package func strings() throws(PolicyFileError) -> [String] {
        try elements { element throws(PolicyFileError) in try element.string() }
    }

    /// The bytes of a string in padded base64.
    func base64() throws(PolicyFileError) -> [UInt8] {
        let text = try string()
        guard let bytes = Base64.decode(text.utf8) else { throw error(.invalidBase64(text)) }
        return bytes
    }

    /// One of an enumeration's words.
    package func word<Word: RawRepresentable<String> & CaseIterable>() throws(PolicyFileError) -> Word {
        let text = try string()
        guard let word = Word(rawValue: text) else {
            throw error(.unknownWord(text, allowed: Word.allCases.map(\.rawValue)))
        }
        return word
    }

    package func error(_ reason: PolicyFileError.Reason) -> PolicyFileError {
        Self.error(reason, field: path, at: node.offset, in: text)
    }

    func wrongType(_ expected: String) -> PolicyFileError {
        error(.wrongType(expected: expected, found: node.kind))
    }

    /// Lines and columns are counted on demand: reading without errors counts nothing.
    fileprivate static func error(
        _ reason: PolicyFileError.Reason, field: String, at offset: Int, in text: [UInt8]
    ) -> PolicyFileError {
        let before = text.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return PolicyFileError(
            reason, field: field, line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: before.count - lineStart + 1)
    }
}

// The elements of trust policies
extension JSONElement {
    func hostPatterns() throws(PolicyFileError) -> [HostPattern] {
        try elements { element throws(PolicyFileError) in
            let text = try element.string()
            do throws(HostPatternError) { return try HostPattern(text) } catch {
                throw element.error(.invalidHost(error))
            }
        }
    }

    func publicKeys() throws(PolicyFileError) -> [X509Certificate.PublicKey] {
        try elements { element throws(PolicyFileError) in try element.publicKey() }
    }

    func publicKey() throws(PolicyFileError) -> X509Certificate.PublicKey {
        let text = try string()
        do throws(PinError) { return try X509Certificate.PublicKey(pin: text) } catch {
            throw self.error(.invalidPin(error))
        }
    }

    /// A positive number in hexadecimal digits, of at most 20 bytes (RFC 5280 §4.1.2.2), as the content of a DER INTEGER.
    func serialNumber() throws(PolicyFileError) -> [UInt8] {
        let text = try string()
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }.compactMap {
            UInt8(String(UnicodeScalar($0)), radix: 16)
        }
        guard (1...40).contains(digits.count), digits.count == text.utf8.count(where: { $0 != UInt8(ascii: ":") })
        else {
            throw error(.invalidSerialNumber(ShortenedText.shortened(text)))
        }
        let even = digits.count.isMultiple(of: 2) ? digits : [0] + digits
        let bytes = stride(from: 0, to: even.count, by: 2).map { even[$0] << 4 | even[$0 + 1] }
        return bytes[0] < 0x80 ? bytes : [0] + bytes
    }

    func spiffeIDs() throws(PolicyFileError) -> [SPIFFEID] {
        try elements { element throws(PolicyFileError) in
            let text = try element.string()
            do throws(SPIFFEIDError) { return try SPIFFEID(text) } catch {
                throw element.error(.invalidSPIFFEID(error))
            }
        }
    }

    func trustDomain() throws(PolicyFileError) -> SPIFFEID.TrustDomain {
        let text = try string()
        do throws(SPIFFEIDError) { return try SPIFFEID.TrustDomain(text) } catch {
            throw self.error(.invalidSPIFFEID(error))
        }
    }

    func networks() throws(PolicyFileError) -> [AddressBlock] {
        try elements { element throws(PolicyFileError) in
            let text = try element.string()
            do throws(InvalidIPNetwork) {
                let network = try IPNetwork(text)
                return AddressBlock(network.address.bytes, prefixLength: network.prefixLength)
            } catch {
                throw element.error(.invalidNetwork(error))
            }
        }
    }

    /// Certificates as an array of PEM texts, each with one or more of them.
    func certificates() throws(PolicyFileError) -> [X509Certificate] {
        try elements { element throws(PolicyFileError) in try element.pemCertificates() }.flatMap(\.self)
    }

    /// The certificates of one PEM text.
    package func pemCertificates() throws(PolicyFileError) -> [X509Certificate] {
        let text = try string()
        do throws(CertificateError) { return try X509Certificate.all(inPEM: text) } catch {
            throw self.error(.invalidCertificate(error))
        }
    }

    /// A date, which is its first second in UTC, or an RFC 3339 time.
    package func time() throws(PolicyFileError) -> Int64 {
        let text = try string()
        guard let time = Timestamp.seconds(dateOrTime: text) else { throw error(.invalidTime(text)) }
        return time
    }

    /// URLs that a request can be sent to: an invalid one must be refused here, because later there is no caller to
    /// report it to.
    func webURLs() throws(PolicyFileError) -> [String] {
        try elements { element throws(PolicyFileError) in
            let text = try element.string()
            guard let url = URL(escaping: text), ["http", "https"].contains(url.scheme?.lowercased()),
                let host = url.host, (try? HostPattern(host))?.scope == .exact, (1...65535).contains(url.port ?? 443)
            else { throw element.error(.invalidURL(text)) }
            return text
        }
    }
}
