// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// A request as a shell command, without credentials.
struct CurlCommand: CustomStringConvertible {
    let description: String

    /// Nil if the request has no URL.
    ///
    /// - Parameters:
    ///   - defaultHeaders: the session's, sent if the request has none of the name.
    ///   - cookies: says which stored cookies the request sends; their values are omitted.
    ///   - sensitiveFields: the session's, omitted in addition to the request's own.
    init?(
        _ request: URLRequest, defaultHeaders: HeaderFields, cookies: CookieUse? = nil,
        sensitiveFields: SensitiveFields = []
    ) {
        guard let url = request.url else { return nil }
        var parts = ["$ curl -v"]
        let method = request.httpMethod ?? "GET"
        if method != "GET" { parts.append("-X \(Self.word(method))") }
        if let cookies = cookies?.cookies(for: request), !cookies.isEmpty {
            let pairs = cookies.map { "\($0.name)=\(Redaction.placeholder)" }
            parts.append("-b \(Self.quoted(pairs.joined(separator: "; ")))")
        }
        let defaults = defaultHeaders.filter { !request.headers.contains($0.name) }
        let sensitiveFields = sensitiveFields.union(request.sensitiveFields)
        for field in defaults + request.headers {
            let value =
                sensitiveFields.contains(field.name) ? Redaction.placeholder : sensitiveFields.shown(field.value)
            parts.append("-H \(Self.quoted("\(field.name): \(value)"))")
        }
        if let body = request.httpBody {
            // `-d` reads a file if its value begins with @.
            let option = body.first == UInt8(ascii: "@") ? "--data-raw" : "-d"
            parts.append("\(option) \(Self.quoted(Self.text(of: body, request, sensitiveFields)))")
        }
        parts.append(Self.quoted(Redaction.url(url.absoluteString, sensitiveFields)))
        description = parts.joined(separator: " \\\n\t")
    }

    /// The body, without the secrets of a form.
    private static func text(of body: Data, _ request: URLRequest, _ sensitiveFields: SensitiveFields) -> String {
        let text = String(decoding: body, as: UTF8.self)
        let type = request.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("application/x-www-form-urlencoded") ? Redaction.form(text, sensitiveFields) : text
    }

    /// Unquoted, if no shell could take it for more than a word.
    private static func word(_ text: String) -> String {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? text : quoted(text)
    }

    /// Within double quotes a shell interprets four bytes, whatever combining mark follows.
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if "\\\"$`".unicodeScalars.contains(scalar) { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
