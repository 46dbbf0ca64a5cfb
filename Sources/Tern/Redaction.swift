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

    /// A URL, or a text given for one, without userinfo (RFC 3986 §3.2.1), also that of a URL in its query.
    ///
    /// - Parameter sensitiveFields: determine which values of its query, and of a query in its fragment, are removed as
    ///   well.
    static func url(_ text: String, _ sensitiveFields: SensitiveFields = []) -> String {
        sensitiveFields.shown(url: text, hiddenAs: placeholder)
    }

    /// Fields of a form, or a query, without the values of fields whose names indicate a secret.
    static func form(_ text: String, _ sensitiveFields: SensitiveFields) -> String {
        SensitiveFields.items(of: text, hiding: sensitiveFields.redacts(queryItemNamed:), as: placeholder)
    }
}
