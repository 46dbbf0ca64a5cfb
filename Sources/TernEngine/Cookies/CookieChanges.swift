// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What has changed in a jar since its file was written: the last change of each cookie. A cookie that was removed
/// stands here as one that has ended.
struct CookieChanges {
    private var changes: [HTTPCookie.Identity: (number: Int, cookie: HTTPCookie)] = [:]
    private var count = 0

    var isEmpty: Bool { changes.isEmpty }

    /// In the order in which they happened.
    var cookies: [HTTPCookie] { changes.values.sorted { $0.number < $1.number }.map(\.cookie) }

    /// A file that cannot be written must not let them grow: beyond the limit the oldest half is forgotten, but the jar
    /// in memory has it.
    mutating func append(_ cookies: some Sequence<HTTPCookie>) {
        for cookie in cookies {
            count += 1
            changes[cookie.identity] = (count, cookie)
        }
        guard changes.count > 4 * CookieJar.maximumCount else { return }
        let latest = self.cookies.suffix(2 * CookieJar.maximumCount)
        self = CookieChanges()
        append(latest)
    }
}
