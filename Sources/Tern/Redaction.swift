// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// Removes secrets from descriptions, because they end up in logs.
enum Redaction {
    static let placeholder = "<redacted>"

    /// Method and URL.
    static func summary(_ request: URLRequest) -> String {
        (request.httpMethod ?? "GET")
            + (request.url.map { " " + url($0.absoluteString, request.sensitiveFields) } ?? "")
    }

    /// A URL, or a text given for one, without userinfo (RFC 3986 §3.2.1). Userinfo ends at the last `@` before the
    /// path; a parser that disagrees must not make us show a password, so all text before it is removed.
    ///
    /// Works on scalars: a combining mark after a delimiter makes another character of it, but not another delimiter.
    ///
    /// - Parameter sensitiveFields: determine which values of its query, and of a query in its fragment, are removed as
    ///   well.
    static func url(_ text: String, _ sensitiveFields: SensitiveFields = []) -> String {
        let text = withoutUserinfo(text)
        guard let start = text.unicodeScalars.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
        return text[..<start] + form(String(text[start...]), sensitiveFields)
    }

    /// Fields of a form, or a query, without the values of fields whose names indicate a secret.
    static func form(_ text: String, _ sensitiveFields: SensitiveFields) -> String {
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
            let name = String(item.prefix { $0 != "=" })
            guard name.unicodeScalars.count < item.count,
                sensitiveFields.redacts(queryItemNamed: name.removingPercentEncoding ?? name)
            else {
                shown += item
                continue
            }
            shown += "\(name)=\(placeholder)".unicodeScalars
        }
        return String(shown)
    }

    private static func withoutUserinfo(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let scheme = scalars.firstRange(of: "//".unicodeScalars) else { return text }
        let rest = scalars[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(scalars[..<scheme.upperBound]) + String(rest[rest.index(after: at)...])
    }
}
