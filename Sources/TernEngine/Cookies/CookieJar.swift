// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Cookies by the site they are for, within limits. A value: it computes, and time is an argument.
struct CookieJar: Sendable {
    /// The maximum number of cookies of one site. Beyond it the one used least recently is removed, those without
    /// `Secure` first.
    static let maximumPerSite = 180
    /// The maximum number of cookies. Beyond it the site with the most cookies loses one.
    static let maximumCount = 3000
    /// The maximum number of cookies that are sent with one request, and of their bytes.
    static let maximumSent = (count: 150, size: 32 * 1024)

    private struct Entry: Sendable {
        var cookie: HTTPCookie
        /// The order of creation; a cookie that replaces another keeps its place.
        let number: UInt64
        /// When it was created, in the time of the caller.
        let created: Date
        /// The order of use.
        var used: UInt64
    }

    /// By registrable domain.
    private var sites: [String: [Entry]] = [:]
    /// The registrable domains of hosts that were looked for.
    private var siteOfHost: [String: String] = [:]
    private(set) var count = 0
    private var clock: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    /// All that have not ended, in the order of their creation.
    func cookies(now: Date) -> [HTTPCookie] {
        sites.values.joined().filter { !$0.cookie.hasEnded(by: now) }.sorted { $0.number < $1.number }.map(\.cookie)
    }

    /// What goes along with a request there: longer paths first, then earlier cookies (RFC 6265bis §5.8.3).
    mutating func cookies(for origin: CookieOrigin, now: Date) -> [HTTPCookie] {
        if isEmpty { return [] }
        let site = site(of: origin.host)
        guard let entries = sites[site] else { return [] }
        clock &+= 1
        var found: [Entry] = []
        for index in entries.indices where entries[index].cookie.isFor(origin) {
            if entries[index].cookie.hasEnded(by: now) { continue }
            sites[site]?[index].used = clock
            found.append(entries[index])
        }
        found.sort {
            let (left, right) = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
            return left == right ? $0.number < $1.number : left > right
        }
        return found.map(\.cookie)
    }

    /// The value of `Cookie` for a request there; nil for none.
    mutating func field(for origin: CookieOrigin, now: Date) -> String? {
        var field = ""
        for cookie in cookies(for: origin, now: now).prefix(Self.maximumSent.count) {
            let pair = cookie.pair
            if field.utf8.count + pair.utf8.count + 2 > Self.maximumSent.size { break }
            if !field.isEmpty { field += "; " }
            field += pair
        }
        return field.isEmpty ? nil : field
    }

    /// Stores `cookie`, or removes the one that it replaces if it has ended.
    mutating func set(_ cookie: HTTPCookie, now: Date) {
        let site = site(of: cookie.host)
        let place = sites[site]?.firstIndex { $0.cookie.identity == cookie.identity }
        if cookie.hasEnded(by: now) {
            if let place { remove(at: place, of: site) }
            return
        }
        clock &+= 1
        if let place {
            sites[site]?[place].cookie = cookie
            sites[site]?[place].used = clock
            return
        }
        sites[site, default: []].append(Entry(cookie: cookie, number: clock, created: now, used: clock))
        count += 1
        keepLimits(of: site, now)
    }

    /// Stores what a response from there sets. A cookie without `Secure` from a plain origin does not take the place of
    /// one with it (RFC 6265bis §5.7, step 15).
    ///
    /// - Returns: whether it was stored, or removed one.
    mutating func set(_ cookie: HTTPCookie, from origin: CookieOrigin, now: Date) -> Bool {
        if !cookie.isSecure, !origin.isSecure, hidesSecure(cookie) { return false }
        set(cookie, now: now)
        return true
    }

    private mutating func hidesSecure(_ cookie: HTTPCookie) -> Bool {
        let (host, path) = (cookie.host, CookieOrigin(host: cookie.host, path: cookie.path))
        return sites[site(of: host)]?.contains {
            $0.cookie.name == cookie.name && $0.cookie.isSecure && path.isWithin(path: $0.cookie.path)
                && (path.isWithin(domain: $0.cookie.host)
                    || CookieOrigin(host: $0.cookie.host, path: "/").isWithin(domain: host))
        } ?? false
    }

    mutating func remove(_ cookie: HTTPCookie) {
        let site = site(of: cookie.host)
        guard let place = sites[site]?.firstIndex(where: { $0.cookie.identity == cookie.identity }) else { return }
        remove(at: place, of: site)
    }

    /// Removes the cookies that were created at `date` or later.
    mutating func removeAll(since date: Date) { removeAll { $0.created >= date } }

    /// Removes the cookies that end with their session.
    mutating func removeSessionCookies() { removeAll { $0.cookie.isSessionOnly } }

    private mutating func removeAll(where isGone: (Entry) -> Bool) {
        sites = sites.mapValues { $0.filter { !isGone($0) } }.filter { !$0.value.isEmpty }
        count = sites.values.reduce(0) { $0 + $1.count }
    }

    private mutating func remove(at place: Int, of site: String) {
        sites[site]?.remove(at: place)
        if sites[site]?.isEmpty == true { sites[site] = nil }
        count -= 1
    }

    private mutating func keepLimits(of site: String, _ now: Date) {
        if let entries = sites[site], entries.count > Self.maximumPerSite { removeOne(of: site, now) }
        if count <= Self.maximumCount { return }
        removeAll { $0.cookie.hasEnded(by: now) }
        while count > Self.maximumCount, let largest = sites.max(by: { $0.value.count < $1.value.count })?.key {
            removeOne(of: largest, now)
        }
    }

    /// One that has ended, else the one without `Secure` that was used least recently, else the one with it.
    private mutating func removeOne(of site: String, _ now: Date) {
        let rank = { (entry: Entry) -> (Int, UInt64) in
            (entry.cookie.hasEnded(by: now) ? 0 : entry.cookie.isSecure ? 2 : 1, entry.used)
        }
        guard let entries = sites[site], let place = entries.indices.min(by: { rank(entries[$0]) < rank(entries[$1]) })
        else { return }
        remove(at: place, of: site)
    }

    /// Remembered, because it is asked for with every request.
    private mutating func site(of host: String) -> String {
        if let site = siteOfHost[host] { return site }
        if siteOfHost.count >= Self.maximumCount { siteOfHost = [:] }
        let site = PublicSuffixes.registrableDomain(of: host)
        siteOfHost[host] = site
        return site
    }
}
