// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import TernTLS

/// The members of one object, taken by name and type. The error of a missing, misplaced or unknown member has its line
/// and field.
package struct JSONFields {
    private let text: [UInt8]
    private let path: String
    private let offset: Int
    private var members: [JSONNode.Member]

    /// Reads a whole text as one object.
    package init(reading text: [UInt8]) throws(PolicyFileError) {
        let node: JSONNode
        do throws(JSONError) {
            node = try JSONReader.read(text)
        } catch {
            let line = JSONElement.line(of: error.offset, in: text)
            throw PolicyFileError(.invalidJSON("\(error)"), field: "", line: line)
        }
        try self.init(JSONElement(node: node, path: "", text: text))
    }

    package init(_ element: JSONElement) throws(PolicyFileError) {
        guard case .object(let members) = element.node.value else { throw element.wrongType("an object") }
        self.members = members
        text = element.text
        path = element.path
        offset = element.node.offset
    }

    package func contains(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// Takes a member. JSON's null counts as absent.
    package mutating func take(_ name: String) -> JSONElement? {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
        let member = members.remove(at: index)
        if case .null = member.node.value { return nil }
        return JSONElement(node: member.node, path: field(name), text: text)
    }

    /// Takes a required member.
    package mutating func require(_ name: String) throws(PolicyFileError) -> JSONElement {
        guard let element = take(name) else {
            if let member = members.first(where: { $0.name.isMisspelling(of: name) }) {
                throw PolicyFileError(
                    .misspelledField(meant: name), field: field(member.name),
                    line: JSONElement.line(of: member.offset, in: text))
            }
            throw PolicyFileError(.missingField, field: field(name), line: JSONElement.line(of: offset, in: text))
        }
        return element
    }

    /// Refuses the members that were not taken.
    package func finish() throws(PolicyFileError) {
        guard let member = members.first else { return }
        throw PolicyFileError(
            .unknownField, field: field(member.name), line: JSONElement.line(of: member.offset, in: text))
    }

    private func field(_ name: String) -> String { path.isEmpty ? name : path + "." + name }
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
    let text: [UInt8]

    init(node: JSONNode, path: String, text: [UInt8]) {
        self.node = node
        self.path = path
        self.text = text
    }

    package func string() throws(PolicyFileError) -> String {
        guard case .string(let string) = node.value else { throw wrongType("a string") }
        return string
    }

    package func boolean() throws(PolicyFileError) -> Bool {
        guard case .boolean(let boolean) = node.value else { throw wrongType("true or false") }
        return boolean
    }

    package func elements() throws(PolicyFileError) -> [JSONElement] {
        guard case .array(let nodes) = node.value else { throw wrongType("an array") }
        return nodes.enumerated().map { index, node in
            JSONElement(node: node, path: "\(path)[\(index)]", text: text)
        }
    }

    package func strings() throws(PolicyFileError) -> [String] {
        var strings: [String] = []
        for element in try elements() { strings.append(try element.string()) }
        return strings
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
        PolicyFileError(reason, field: path, line: Self.line(of: node.offset, in: text))
    }

    func wrongType(_ expected: String) -> PolicyFileError {
        error(.wrongType(expected: expected, found: node.kind))
    }

    /// Counted from 1, on demand: reading without errors counts nothing.
    static func line(of offset: Int, in text: [UInt8]) -> Int {
        text.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    }
}

// The elements of trust policies
extension JSONElement {
    func hostPatterns() throws(PolicyFileError) -> [HostPattern] {
        var patterns: [HostPattern] = []
        for element in try elements() {
            let text = try element.string()
            do throws(HostPatternError) {
                patterns.append(try HostPattern(text))
            } catch {
                throw element.error(.invalidHost(error))
            }
        }
        return patterns
    }

    func publicKeys() throws(PolicyFileError) -> [X509Certificate.PublicKey] {
        var keys: [X509Certificate.PublicKey] = []
        for element in try elements() {
            let text = try element.string()
            do throws(PinError) {
                keys.append(try X509Certificate.PublicKey(pin: text))
            } catch {
                throw element.error(.invalidPin(error))
            }
        }
        return keys
    }

    /// Certificates as an array of PEM texts, each with one or more of them.
    func certificates() throws(PolicyFileError) -> [X509Certificate] {
        var certificates: [X509Certificate] = []
        for element in try elements() { certificates += try element.pemCertificates() }
        return certificates
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
        guard let time = Timestamp.seconds(fullDate: text) ?? Timestamp.seconds(rfc3339: text) else {
            throw error(.invalidTime(text))
        }
        return time
    }

    /// URLs that a request can be sent to: an invalid one must be refused here, because later there is no caller to
    /// report it to.
    func webURLs() throws(PolicyFileError) -> [String] {
        var urls: [String] = []
        for element in try elements() {
            let text = try element.string()
            guard let url = URL(escaping: text), ["http", "https"].contains(url.scheme?.lowercased()),
                let host = url.host, (try? HostPattern(host))?.scope == .exact, (1...65535).contains(url.port ?? 443)
            else { throw element.error(.invalidURL(text)) }
            urls.append(text)
        }
        return urls
    }
}
