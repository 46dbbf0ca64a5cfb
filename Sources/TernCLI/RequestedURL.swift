// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine

/// A URL that somebody typed: one that can be asked for, or a usage error that says what it is instead.
struct RequestedURL {
    let url: URL
    let request: Tern.URLRequest

    var isSecure: Bool { url.scheme?.lowercased() == "https" }

    init(_ text: String) throws {
        if text.isEmpty { throw ValidationError("the URL is empty") }
        // A password must not be shown, not even to whoever typed it.
        let hasCredentials = Self.hasCredentials(text)
        do throws(InvalidRequest) {
            request = try Tern.URLRequest(string: text)
            guard let url = request.url else { throw .missingURL }
            self.url = url
        } catch {
            if hasCredentials { throw ValidationError("the URL: \(error)") }
            throw ValidationError("\"\(text.prefix(200))\": \(error)\(Self.hint(for: text))")
        }
        if hasCredentials {
            throw ValidationError(
                "the URL holds a user name or a password, and there is no authentication yet: give -H 'Authorization: …'"
            )
        }
    }

    /// One whose server has certificates to show.
    init(secure text: String) throws {
        try self.init(text)
        guard isSecure else {
            throw ValidationError(
                "\"\(text.prefix(200))\" is not an https URL: over plain http no certificate is shown")
        }
    }

    /// As strict as a parser that ends the authority late, and one that ends it early.
    private static func hasCredentials(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        let rest = scalars.firstRange(of: "//".unicodeScalars).map { scalars[$0.upperBound...] } ?? scalars[...]
        return rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
    }

    private static func hint(for text: String) -> String {
        if text.contains("://") { return "" }
        var rest = Substring(text)
        for scheme in ["http:", "https:"] where rest.lowercased().hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count).drop { $0 == "/" }
        }
        let meant = "http://" + rest
        guard (try? Tern.URLRequest(string: meant)) != nil else { return "" }
        return "; did you mean \(meant.prefix(200))?"
    }
}
