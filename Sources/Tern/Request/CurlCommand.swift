// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// A request as a command for a shell, with credentials left out.
struct CurlCommand: CustomStringConvertible {
    let description: String

    /// Nil if the request has no URL.
    init?(_ request: URLRequest, defaultHeaders: HTTPFields) {
        guard let url = request.url else { return nil }
        var parts = ["$ curl -v"]
        let method = request.httpMethod ?? "GET"
        if method != "GET" { parts.append("-X \(method)") }
        let defaults = defaultHeaders.filter { !request.headers.contains($0.name) }
        for field in defaults + request.headers {
            let value = Redaction.covers(field: field.name) ? Redaction.placeholder : field.value
            parts.append("-H \(Self.quoted("\(field.name): \(value)"))")
        }
        if let body = request.httpBody {
            parts.append("-d \(Self.quoted(String(decoding: body, as: UTF8.self)))")
        }
        parts.append(Self.quoted(Redaction.url(url.absoluteString)))
        description = parts.joined(separator: " \\\n\t")
    }

    /// Within double quotes a shell takes four characters for more than themselves.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            if "\\\"$`".contains(character) { quoted.append("\\") }
            quoted.append(character)
        }
        return quoted + "\""
    }
}
