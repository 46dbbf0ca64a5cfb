// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernHTTP1
import TernSystem

/// The content of a file of cookies, line by line: lines of seven words between tabs, the format of Netscape that curl
/// and wget read and write, and `Set-Cookie` fields, alone or in a head.
///
/// What is tolerated is what curl tolerates: a byte order mark, blanks before a line, CRLF, a missing value, fractions of
/// seconds. Any other line spoils nothing but itself, and is kept.
package struct CookieText {
    private static let header = Array("# Netscape HTTP Cookie File\n\n".utf8)
    private static let httpOnlyMark = Array("#HttpOnly_".utf8)
    private static let tab = UInt8(ascii: "\t")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let maximumCount = 4 * CookieJar.maximumCount

    /// In the order of the file, those that have ended included. Of a file with more than a jar holds, about what a jar
    /// would keep: memory is in proportion to that.
    private(set) var cookies: [HTTPCookie] = []
    /// `Set-Cookie` fields that name no domain: cookies of the host that the reader knows them to be from.
    private(set) var fieldsWithoutDomain: [SetCookie] = []
    /// Whether it has cookies of the host that the reader knows them to be from.
    package var needsHosts: Bool { !fieldsWithoutDomain.isEmpty }
    /// The lines that are no cookies as they are, comments included, each with its end.
    private(set) var otherLines: [UInt8] = []
    /// The number of lines that are no cookies and should be.
    package private(set) var skippedLineCount = 0
    /// The first of them, counted from 1; 0 without one.
    package private(set) var firstSkippedLine = 0

    /// Whether the lines of a head are being read, most of which set no cookies.
    private var isInHead = false

    /// The content of no file.
    init() {}

    /// Reads the content of a file.
    package init(_ bytes: [UInt8], now: Date) {
        let content = bytes.withoutByteOrderMark
        var (start, number) = (content.startIndex, 0)
        while start < content.endIndex {
            let end = content[start...].firstIndex(of: Self.lineFeed) ?? content.endIndex
            number += 1
            read(content[start..<end], number, now)
            if cookies.count >= Self.maximumCount { cookies = CookieJar(cookies, now: now).cookies(now: now) }
            start = end + 1
        }
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int, _ now: Date) {
        let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        let text = end.drop { $0 == 0x20 || $0 == 0x09 }
        if let field = Self.setCookie(text) {
            if let domain = field.domain {
                let cookie = HTTPCookie(field, from: CookieOrigin(secureHost: domain), now: now)
                if let cookie { return cookies.append(cookie) }
            } else {
                fieldsWithoutDomain.append(field)
                return otherLines += line + [Self.lineFeed]
            }
        } else if let cookie = Self.cookie(text) {
            return cookies.append(cookie)
        }
        otherLines += line + [Self.lineFeed]
        if text.isEmpty { isInHead = false }
        if text.starts(with: Array("HTTP/".utf8)) { isInHead = true }
        if text.isEmpty || text.first == UInt8(ascii: "#") || isInHead { return }
        skippedLineCount += 1
        if firstSkippedLine == 0 { firstSkippedLine = number }
    }

    /// The field of a line of a head, or of a line like one.
    private static func setCookie(_ text: ArraySlice<UInt8>) -> SetCookie? {
        guard text.prefix(11).isWord("set-cookie:") else { return nil }
        return SetCookie(Array(text.dropFirst(11)))
    }

    private static func cookie(_ text: ArraySlice<UInt8>) -> HTTPCookie? {
        let isHTTPOnly = text.starts(with: httpOnlyMark)
        let line = isHTTPOnly ? text.dropFirst(httpOnlyMark.count) : text
        let words = line.split(separator: tab, omittingEmptySubsequences: false)
        // curl leaves the last tab out where the value is empty. A cookie without a name cannot be written.
        guard line.first != UInt8(ascii: "#"), words.count == 7 || words.count == 6, !words[5].isEmpty,
            let hasSubdomains = flag(words[1]), let isSecure = flag(words[3]), let expires = seconds(words[4])
        else { return nil }
        let host = String(
            decoding: words[0].first == UInt8(ascii: ".") ? words[0].dropFirst() : words[0], as: UTF8.self)
        return HTTPCookie(
            HTTPCookie.Identity(
                name: FieldValue(Array(words[5])), domain: hasSubdomains ? "." + host : host,
                path: FieldValue(Array(words[2]))),
            value: FieldValue(words.count == 7 ? Array(words[6]) : []),
            expiresDate: expires == 0 ? nil : Date(timeIntervalSince1970: Double(expires)), isSecure: isSecure,
            isHTTPOnly: isHTTPOnly)
    }

    private static func flag(_ word: ArraySlice<UInt8>) -> Bool? {
        word.isWord("true") ? true : word.isWord("false") ? false : nil
    }

    /// Programs write fractions, too.
    private static func seconds(_ word: ArraySlice<UInt8>) -> Int64? {
        let parts = word.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count < 2 || parts[1].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(String(decoding: parts[0], as: UTF8.self))
    }

    /// The content of a file with these cookies, after the lines of another file that are none.
    ///
    /// A cookie with a tab in it, without a name, or whose line would be another one, cannot be written, and is left out.
    static func bytes(of cookies: [HTTPCookie], after lines: [UInt8] = []) -> [UInt8] {
        var bytes = lines.starts(with: header.dropLast(2)) ? lines : header + lines
        for cookie in cookies {
            guard let line = line(of: cookie) else { continue }
            bytes += line
            bytes.append(lineFeed)
        }
        return bytes
    }

    private static func line(of cookie: HTTPCookie) -> [UInt8]? {
        let expires = cookie.expiresDate.map(seconds) ?? 0
        let words = [
            Array(cookie.domain.utf8), Array((cookie.isHostOnly ? "FALSE" : "TRUE").utf8), cookie.identity.path.bytes,
            Array((cookie.isSecure ? "TRUE" : "FALSE").utf8), Array(String(expires).utf8), cookie.identity.name.bytes,
            cookie.valueBytes.bytes,
        ]
        if cookie.identity.name.count == 0 || words.contains(where: { $0.contains(tab) }) { return nil }
        if cookie.domain.hasPrefix("#") || words[0].prefix(11).isWord("set-cookie:") { return nil }
        return (cookie.isHTTPOnly ? httpOnlyMark : []) + words.joined(separator: [tab])
    }

    /// Whole seconds since 1970, at least 1: zero would be a cookie of its session.
    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.up)
        return seconds > 1 ? Int64(exactly: seconds) ?? .max : 1
    }
}
