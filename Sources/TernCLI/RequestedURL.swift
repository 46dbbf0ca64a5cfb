// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine

/// A URL from the command line: one that can be requested, or a failure with the reason.
struct RequestedURL {
    /// The URL as typed, but without a name and a password, which must not be shown.
    let text: String
    let url: URL
    /// Has the name and the password of the URL as its credential.
    let request: Tern.URLRequest

    var isSecure: Bool { url.scheme?.lowercased() == "https" }

    init(_ text: String) throws {
        if text.isEmpty { throw CommandFailure(.malformedURL, "the URL is empty") }
        // A password must not be shown, not even on the terminal where it was typed.
        let hasCredentials = Self.hasCredentials(text)
        do throws(InvalidRequest) {
            let typed = try Tern.URLRequest(string: Self.resolvable(text))
            let credential = typed.urlCredential
            var request =
                credential == nil
                ? typed : try Tern.URLRequest(string: Tern.URLRequest.withoutCredential(Self.resolvable(text)))
            guard let url = request.url else { throw .missingURL }
            request.credential = credential
            (self.request, self.url) = (request, url)
            self.text = credential == nil ? text : Tern.URLRequest.withoutCredential(text)
        } catch {
            let status = ExitStatus(of: SessionError(.request(.invalid(error)), phase: .request))
            if hasCredentials { throw CommandFailure(status, "the URL: \(error)") }
            throw CommandFailure(status, "\"\(text.prefix(200))\": \(error)\(Self.hint(for: text))")
        }
        if Self.hasCredentials(self.text) {
            throw CommandFailure(.malformedURL, "the URL: the name and the password are not encoded (%40 for an @)")
        }
    }

    /// A URL whose server has certificates.
    init(secure text: String) throws {
        try self.init(text)
        guard isSecure else {
            throw ValidationError(
                "\"\(text.prefix(200))\" is not an https URL: plain http has no certificates")
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

    /// The same URL with an internationalized host name as DNS knows it (UTS 46), or as it is where there is none, for
    /// the request to say what is wrong.
    private static func resolvable(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.utf8.allSatisfy({ $0 < 0x80 }) || authority.contains(where: "@[]%".contains) { return text }
        guard let known = URL(string: "http://\(authority)/")?.absoluteString, known.utf8.allSatisfy({ $0 < 0x80 }),
            !known.contains("%"), known.hasSuffix("/")
        else { return text }
        return "\(text[..<start])\(known.dropFirst("http://".count).dropLast())\(text[authority.endIndex...])"
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
