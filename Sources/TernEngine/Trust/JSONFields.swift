// SPDX-License-Identifier: Apache-2.0

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
