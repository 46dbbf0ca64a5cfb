// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of cookies. Oracle: no trap; what was read and written is read again, as the same cookies and the
// same other lines, and is written alike from then on; no line is lost, and each is read as it is when it stands alone.
import Foundation

@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let now = Date(timeIntervalSince1970: 0)
    let first = CookieText(bytes, now: now)
    // A cookie of a field may have no line: one without a name, with a tab, or whose line would be another.
    let kept = first.cookies.filter { CookieText.bytes(of: [$0]) != CookieText.bytes(of: []) }
    let written = CookieText.bytes(of: first.cookies, after: first.otherLines)
    let again = CookieText(written, now: now)
    // The format has no place for SameSite, and an end in the past is written as any.
    let facts = { (cookie: HTTPCookie) in "\(cookie.identity) \(cookie.pair) \(cookie.isSecure) \(cookie.isHTTPOnly)" }
    guard again.cookies.map(facts) == kept.map(facts) else { fatalError("\(kept) became \(again.cookies)") }
    guard again.otherLines.suffix(first.otherLines.count) == first.otherLines[...],
        again.skippedLineCount >= first.skippedLineCount, again.fieldsWithoutDomain == first.fieldsWithoutDomain
    else { fatalError("other lines were lost") }
    guard CookieText.bytes(of: again.cookies, after: again.otherLines) == written else {
        fatalError("written otherwise the second time")
    }
    var (cookies, others) = ([HTTPCookie](), [UInt8]())
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
        // A byte order mark stands at the beginning alone.
        let before: [UInt8] = index > 0 ? [0x0A] : []
        let alone = CookieText(before + line + (index + 1 < lines.count ? [0x0A] : []), now: now)
        cookies += alone.cookies
        others += alone.otherLines.dropFirst(before.count)
    }
    guard cookies == first.cookies, others == first.otherLines else { fatalError("a line depends on its neighbours") }
    return 0
}
