// SPDX-License-Identifier: Apache-2.0

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
