// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Cookies as lines of seven words between tabs, the format of Netscape that curl and wget read and write. It has no
/// place for `SameSite`.
enum NetscapeCookies {
    private static let httpOnlyMark = "#HttpOnly_"
    private static let tab = UInt8(ascii: "\t")

    /// The first line that is no cookie.
    struct MalformedLine: Error {
        let number: Int
    }

    /// Cookies that have ended are left out.
    static func cookies(in text: String, now: Date) throws(MalformedLine) -> [HTTPCookie] {
        var cookies: [HTTPCookie] = []
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            var line = String(Substring(line))
            if line.hasSuffix("\r") { line.removeLast() }
            let isHTTPOnly = line.hasPrefix(httpOnlyMark)
            if isHTTPOnly { line.removeFirst(httpOnlyMark.count) }
            if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
            guard let cookie = cookie(line, isHTTPOnly) else { throw MalformedLine(number: index + 1) }
            if !cookie.hasEnded(by: now) { cookies.append(cookie) }
        }
        return cookies
    }

    private static func cookie(_ line: String, _ isHTTPOnly: Bool) -> HTTPCookie? {
        // By bytes: a combining mark after a tab makes no other character of it.
        let words = line.utf8.split(separator: tab, omittingEmptySubsequences: false).map { String(Substring($0)) }
        // curl leaves the last tab out where the value is empty.
        guard words.count == 7 || words.count == 6, let hasSubdomains = flag(words[1]), let isSecure = flag(words[3]),
            let expires = Int64(words[4])
        else { return nil }
        let host = words[0].first == "." ? String(words[0].dropFirst()) : words[0]
        return HTTPCookie(
            name: words[5], value: words.count == 7 ? words[6] : "", domain: hasSubdomains ? "." + host : host,
            path: words[2], expiresDate: expires == 0 ? nil : Date(timeIntervalSince1970: Double(expires)),
            isSecure: isSecure, isHTTPOnly: isHTTPOnly)
    }

    private static func flag(_ word: String) -> Bool? {
        switch word.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    /// The text of a file with these cookies. A cookie with a tab in it, or whose line would be a comment, cannot be
    /// written, and is left out.
    static func text(of cookies: [HTTPCookie]) -> String {
        let lines = cookies.compactMap { cookie -> String? in
            let expires = cookie.expiresDate.map(seconds) ?? 0
            let words = [
                cookie.domain, cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
                String(expires), cookie.name, cookie.value,
            ]
            let hasTab = words.contains { $0.utf8.contains(tab) }
            if hasTab || cookie.name.isEmpty || cookie.domain.hasPrefix("#") { return nil }
            return (cookie.isHTTPOnly ? httpOnlyMark : "") + words.joined(separator: "\t")
        }
        return (["# Netscape HTTP Cookie File", ""] + lines).joined(separator: "\n") + "\n"
    }

    /// Whole seconds since 1970, at least 1: zero would be a cookie of its session.
    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.up)
        return seconds > 1 ? Int64(exactly: seconds) ?? .max : 1
    }
}
