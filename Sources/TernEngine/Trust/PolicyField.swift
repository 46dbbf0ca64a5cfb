// SPDX-License-Identifier: Apache-2.0

/// A member of an object in a policy file: what reads it, and what schema and page say of it.
struct PolicyField<Target>: Sendable {
    typealias Read = @Sendable (inout Target, JSONElement) throws(PolicyFileError) -> Void

    let name: String
    let form: PolicyForm
    /// For people, in Markdown.
    let meaning: String
    let isRequired: Bool
    let read: Read

    init(_ name: String, _ form: PolicyForm, _ meaning: String, isRequired: Bool = false, _ read: @escaping Read) {
        (self.name, self.form, self.meaning, self.isRequired, self.read) = (name, form, meaning, isRequired, read)
    }
}

extension JSONFields {
    /// Reads the members of a table in its order, and refuses all others.
    consuming func read<Target>(
        into target: inout Target, by table: [PolicyField<Target>]
    ) throws(PolicyFileError) {
        var fields = self
        for field in table {
            guard let value = field.isRequired ? try fields.require(field.name) : fields.take(field.name) else {
                continue
            }
            try field.read(&target, value)
        }
        try fields.finish()
    }
}

/// What a value in a policy file looks like.
indirect enum PolicyForm: Sendable {
    case boolean
    case number(ClosedRange<Int>)
    /// One of the words.
    case words([String])
    /// A text, in words of JSON Schema: a pattern or a format.
    case text(describedBy: [String: String])
    case list(PolicyForm)
    case object([Member])
    case either([PolicyForm])

    /// A member of an object.
    struct Member: Sendable {
        let name: String
        let form: PolicyForm
        let meaning: String
        let isRequired: Bool
    }

    static let host = text(describedBy: ["examples": #"["api.example.com", "*.example.com", "**.example.com"]"#])
    static let pin = text(describedBy: ["pattern": #""^sha256/[A-Za-z0-9+/]{43}=$""#])
    static let certificate = text(describedBy: ["pattern": #""-----BEGIN CERTIFICATE-----""#])
    static let network = text(describedBy: ["examples": #"["10.0.0.0/8", "2001:db8::/32"]"#])
    static let time = text(describedBy: ["examples": #"["2030-12-31", "2030-12-31T12:00:00Z"]"#])
    static let spiffeID = text(describedBy: ["pattern": #""^spiffe://""#])
    static let url = text(describedBy: ["pattern": #""^https?://""#])

    static func word<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> PolicyForm {
        .words(Word.allCases.map(\.rawValue))
    }

    static func object<Target>(_ fields: [PolicyField<Target>]) -> PolicyForm {
        .object(
            fields.map { Member(name: $0.name, form: $0.form, meaning: $0.meaning, isRequired: $0.isRequired) })
    }
}

// JSON Schema
extension PolicyForm {
    /// The form as JSON Schema, draft 2020-12, without a final line break.
    func schema(indent: String = "") -> String { "{" + members(indent) + "\n\(indent)}" }

    /// The inner lines of an object, each behind a line break.
    private func members(_ indent: String) -> String {
        let inner = indent + "  "
        let members: [(String, String)] =
            switch self {
            case .boolean: [("type", "\"boolean\"")]
            case .number(let range):
                [("type", "\"integer\""), ("minimum", "\(range.lowerBound)"), ("maximum", "\(range.upperBound)")]
            case .words(let words): [("enum", Self.array(words.map(quoted)))]
            case .text(let description): [("type", "\"string\"")] + description.sorted { $0.key < $1.key }
            case .list(let element): [("type", "\"array\""), ("items", element.schema(indent: inner))]
            case .either(let forms):
                [("anyOf", Self.array(forms.map { $0.schema(indent: inner) }))]
            case .object(let members):
                [
                    ("type", "\"object\""),
                    (
                        "properties",
                        "{" + members.map { $0.property(inner + "  ") }.joined(separator: ",") + "\n\(inner)}"
                    ),
                    ("required", Self.array(members.filter(\.isRequired).map { quoted($0.name) })),
                    ("additionalProperties", "false"),
                ]
            }
        return members.map { "\n\(inner)\"\($0)\": \($1)" }.joined(separator: ",")
    }

    private static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ", ") + "]" }
}

extension PolicyForm.Member {
    fileprivate func property(_ indent: String) -> String {
        let inner = indent + "  "
        let meaning = meaning.filter { $0 != "`" }
        return "\n\(indent)\"\(name)\": {\n\(inner)\"description\": \(quoted(meaning)),"
            + form.schema(indent: indent).dropFirst()
    }
}

// The page
extension PolicyForm {
    /// The members of an object as lines of Markdown, those of inner objects below their own; none of other forms.
    func page(_ prefix: String = "") -> [String] {
        switch self {
        case .object(let members):
            members.flatMap { member in
                let name = prefix + member.name
                let line = "- `\(name)`" + (member.isRequired ? " (required)" : "") + ": " + member.meaning
                return [line] + member.form.page(name + ".")
            }
        case .list(let element): element.page(String(prefix.dropLast(prefix.isEmpty ? 0 : 1)) + "[].")
        case .boolean, .number, .words, .text, .either: []
        }
    }
}

/// A text of a table in JSON.
private func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
}
