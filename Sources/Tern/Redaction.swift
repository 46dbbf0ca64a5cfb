// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// What descriptions do not show, because they end up in logs.
enum Redaction {
    static let placeholder = "<redacted>"

    /// Method and URL.
    static func summary(_ request: URLRequest) -> String {
        (request.httpMethod ?? "GET") + (request.url.map { " " + url($0.absoluteString) } ?? "")
    }

    /// A URL, or what was meant to be one, without userinfo (RFC 3986 §3.2.1). Userinfo ends at the last `@` before the
    /// path; a parser that disagrees must not make us show a password, so all before it goes.
    ///
    /// Looks at scalars: a mark that combines with a delimiter makes another character of it, but not another delimiter.
    static func url(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let scheme = scalars.firstRange(of: "//".unicodeScalars) else { return text }
        let rest = scalars[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return String(scalars[..<scheme.upperBound]) + String(rest[rest.index(after: at)...])
    }
}
