// SPDX-License-Identifier: Apache-2.0
package import TernHTTP1

/// Names of header fields with secret values, such as `X-Api-Key`; case is ignored. Fields that always carry
/// credentials are included (``TernHTTP1/HeaderField/isSensitive``).
///
/// Descriptions, dumps and logs omit the values of such fields, and redirects do not send them to another origin.
public struct SensitiveFields: Sendable, Hashable {
    /// In lower case.
    private var names: Set<String>

    /// Whether descriptions omit the values of query items whose names indicate a secret, such as `api_key`, or are
    /// among these names; on by default.
    public var redactsQueryItems = true

    /// Creates a set of these names, and the ones that are always sensitive.
    public init(_ names: some Sequence<String> = []) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Adds a name.
    public mutating func insert(_ name: String) { names.insert(name.lowercased()) }

    /// The names of both.
    public func union(_ other: SensitiveFields) -> SensitiveFields {
        var union = SensitiveFields(names.union(other.names))
        union.redactsQueryItems = redactsQueryItems && other.redactsQueryItems
        return union
    }

    /// Whether a field of this name is sensitive.
    public func contains(_ name: String) -> Bool {
        HeaderField.isSensitive(name) || isNamed(name)
    }

    /// Whether it is one of the names of the set's own.
    func isNamed(_ name: String) -> Bool { !names.isEmpty && names.contains(name.lowercased()) }

    /// Whether descriptions leave out the value of a query item, or a field of a form, of this name.
    public func redacts(queryItemNamed name: String) -> Bool {
        if !redactsQueryItems { return false }
        return redacts(memberNamed: name) || Self.secretWords.contains(Self.word(name))
    }

    private static func word(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// What stands in an archive for a secret, also within a URL.
    static let placeholder = "redacted"

    /// Whether archives leave out the value of a header field of this name.
    func isSecret(fieldNamed name: String) -> Bool { contains(name) || redacts(queryItemNamed: name) }

    /// A text that may contain URLs as an archive has it.
    func archived(_ text: String) -> String { withoutSecrets(text, placeholder: Self.placeholder) }

    /// Whether archives leave out the text of a member of this name in JSON, where words such as `code` and `key` indicate
    /// no secret.
    func redacts(memberNamed name: String) -> Bool {
        if !redactsQueryItems { return false }
        if contains(name) { return true }
        let word = Self.word(name)
        return Self.secretParts.contains { word.contains($0) }
    }

    /// Names of secret query items, in lower case, without separators.
    private static let secretWords: Set<String> = ["auth", "code", "key", "pass", "pwd", "session", "sid", "sig"]
    /// Words that make every name containing them a secret.
    private static let secretParts = [
        "accesskey", "apikey", "authorization", "credential", "jwt", "passphrase", "passwd", "password", "secret",
        "sessionid", "signature", "token",
    ]

}

// What is shown: the one filter for fields, for the URLs in them and for other texts
extension SensitiveFields {
    /// `Name: value`, without the value of a sensitive field, and of another one what ``shown(_:)`` leaves.
    package func description(of field: HeaderField) -> String {
        "\(field.name): \(contains(field.name) ? "\u{2026}" : shown(field.value))"
    }

    /// A text without the names and the passwords of the URLs in it, and without the values of query items that have one
    /// of the set's own names.
    package func shown(_ text: String) -> String {
        let text = Self.withoutUserinfo(text)
        return names.isEmpty ? text : Self.items(of: text, hiding: isNamed, as: "\u{2026}")
    }

    /// A text without the names and the passwords of the URLs in it.
    package static func withoutUserinfo(_ text: String) -> String { ShownText.withoutUserinfo(text) }

    /// A text without the names and the passwords of the URLs in it, and without the values of query items whose names
    /// indicate a secret: for a URL, also with a query in its fragment, and for what may contain one.
    package func withoutSecrets(_ text: String, placeholder: String) -> String {
        let text = Self.withoutUserinfo(text)
        guard let start = text.unicodeScalars.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
        return text[..<start]
            + Self.items(of: String(text[start...]), hiding: redacts(queryItemNamed:), as: placeholder)
    }

    /// Fields of a form, or of the queries in a text, without the values of some.
    ///
    /// Works on scalars: a combining mark after a delimiter makes another character of it, but not another delimiter.
    package static func items(
        of text: String, hiding isSecret: (_ name: String) -> Bool, as placeholder: String
    ) -> String {
        let separators = "?#&;".unicodeScalars
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            if let first = rest.first, separators.contains(first) {
                shown.append(first)
                rest.removeFirst()
            }
            let item = rest.prefix { !separators.contains($0) }
            rest = rest[item.endIndex...]
            let name = item.prefix { $0 != "=" }
            guard name.endIndex < item.endIndex, isSecret(Self.decoded(name)) else {
                shown += item
                continue
            }
            shown += "\(String(name))=\(placeholder)".unicodeScalars
        }
        return String(shown)
    }

    private static func decoded(_ name: Substring.UnicodeScalarView) -> String {
        let text = String(name)
        return PercentEncoding.decoded(Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}

extension SensitiveFields: ExpressibleByArrayLiteral {
    /// These names, and the ones that are always sensitive.
    public init(arrayLiteral names: String...) { self.init(names) }
}
