// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// A URL from the command line: one that can be requested, or a failure with the reason.
struct RequestedURL {
    /// The URL as typed, but without a name and a password, which must not be shown.
    let text: String
    let url: URL
    /// Has the name and the password of the URL as its credential.
    let request: URLRequest

    var isSecure: Bool { url.scheme?.lowercased() == "https" }

    /// A URL as typed. One without a scheme is an http URL, as in curl, which takes "localhost:8080" for a host and a
    /// port.
    init(_ text: String, defaultScheme: String = "http") throws {
        try self.init(complete: Self.complete(text, defaultScheme))
    }

    /// A URL whose server has certificates: one without a scheme is an https URL.
    init(secure text: String) throws {
        try self.init(complete: Self.complete(text, "https"))
        guard isSecure else {
            throw UsageError(
                "\"\(text.prefix(200))\" is not an https URL: plain http has no certificates")
        }
    }

    private static func complete(_ text: String, _ scheme: String) -> String {
        text.isEmpty || hasScheme(text) ? TypedURL(text).text : "\(scheme)://\(text)"
    }

    private init(complete text: String) throws {
        if text.isEmpty { throw CommandFailure(.malformedURL, "the URL is empty") }
        // A password must not be shown, not even on the terminal where it was typed.
        let hasCredentials = Self.hasCredentials(text)
        do throws(InvalidRequest) {
            let typed = try URLRequest(typed: text.utf8)
            let credential = typed.urlCredential
            self.text = credential == nil ? text : URLRequest.withoutCredential(text)
            var request = credential == nil ? typed : try URLRequest(typed: self.text.utf8)
            guard let url = request.url else { throw .missingURL }
            request.credential = credential
            (self.request, self.url) = (request, url)
        } catch {
            let status = ExitStatus(of: SessionError(.request(.invalid(error)), phase: .request))
            if hasCredentials { throw CommandFailure(status, "the URL: \(error)") }
            throw CommandFailure(status, "\"\(text.prefix(200))\": \(error)")
        }
    }

    /// The text after the last slash of the path, with its escapes; may be empty.
    var lastSegment: String {
        let path = text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
        // The scheme, nothing, the host.
        return path.count > 3 ? path.last.map(String.init) ?? "" : ""
    }

    /// The same with `segment` after the last slash of the path, if the path ends there.
    func appending(segment: String) throws -> RequestedURL {
        let (path, rest) = Self.split(text, at: ["?", "#"])
        guard lastSegment.isEmpty else { return self }
        return try RequestedURL(
            path + (path.hasSuffix("/") && path.count(where: { $0 == "/" }) > 2 ? "" : "/") + segment + rest)
    }

    /// The same with `query` after the existing query.
    func appending(query: String) throws -> RequestedURL {
        let (address, fragment) = Self.split(text, at: ["#"])
        let separator = !address.contains("?") ? "?" : address.hasSuffix("?") || address.hasSuffix("&") ? "" : "&"
        return try RequestedURL(address + separator + query + fragment)
    }

    private static func split(_ text: String, at ends: Set<Character>) -> (String, String) {
        let head = text.prefix { !ends.contains($0) }
        return (String(head), String(text.dropFirst(head.count)))
    }

    /// As strict as a parser that ends the authority late, and one that ends it early.
    private static func hasCredentials(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        let rest = scalars.firstRange(of: "//".unicodeScalars).map { scalars[$0.upperBound...] } ?? scalars[...]
        return rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains("@")
    }

    /// Whether a scheme stands before slashes.
    private static func hasScheme(_ text: String) -> Bool {
        guard let end = text.firstRange(of: ":/")?.lowerBound, let first = text.utf8.first else { return false }
        return Unicode.Scalar(first).properties.isAlphabetic
            && text[..<end].utf8.allSatisfy { byte in
                byte < 0x80 && (Unicode.Scalar(byte).properties.isAlphabetic || "0123456789+-.".utf8.contains(byte))
            }
    }
}

extension RequestedURL {
    /// The URL of an argument.
    init(argument: String) throws {
        try self.init(Self.escaped(URL.withoutBlanksAround(argument) ?? argument))
    }

    /// The same URL, with an escape for each byte that is not UTF-8 (RFC 3986 §2.1).
    static func escaped(_ text: String) -> String {
        ByteText.replacing(in: text) { PercentEncoding.component([$0]) }
    }
}

/// A URL as typed, before it is parsed, with curl's rules for typed URLs.
struct TypedURL {
    let text: String

    init(_ text: String) { self.text = String(decoding: URL.withTwoSlashes(text.utf8), as: UTF8.self) }

    /// - Throws: a failure for a space.
    func check() throws(CommandFailure) {
        if text.contains(" "), !authority.contains(" ") {
            throw CommandFailure(.malformedURL, "\"\(text.prefix(200))\": the URL contains a space; write %20")
        }
    }

    /// The same without "." and ".." segments in its path (RFC 3986 §5.2.4).
    var withoutDotSegments: String {
        let (start, rest) = parts
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        guard path.hasPrefix("/"), path.contains("/.") else { return text }
        return start + URLRequest.withoutDotSegments(String(path)) + rest.dropFirst(path.count)
    }

    private var authority: Substring {
        let start = parts.start
        return start.firstRange(of: "://").map { start[$0.upperBound...] } ?? start
    }

    /// Scheme and authority, and the rest.
    private var parts: (start: Substring, rest: Substring) {
        let afterScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let authority = afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return (text[..<authority.endIndex], text[authority.endIndex...])
    }
}
