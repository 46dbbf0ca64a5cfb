// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// Cookies by the site they are for, within limits. A value: it computes, and time is an argument.
///
/// Servers fill it, and reactors wait for it. So what one cookie costs depends on the cookies of its own site, of which
/// there are 180 at most, and compares numbers before it compares bytes: names and paths may be long, and alike.
struct CookieJar: Sendable {
    /// The maximum number of cookies of one site. Beyond it the one used least recently is removed, those without
    /// `Secure` first.
    static let maximumPerSite = 180
    /// The maximum number of cookies. Beyond it the site with the most cookies loses one.
    static let maximumCount = 3000
    /// The maximum number of cookies that are sent with one request, and of their bytes.
    private static let maximumSent = (count: 150, size: 32 * 1024)

    /// By registrable domain.
    private var sites: [String: CookieSite] = [:]
    /// The sites with one cookie, with two, and so on.
    private var sitesBySize: [Set<String>] = []
    /// The registrable domains of hosts that were looked for.
    private var siteOfHost: [String: String] = [:]
    /// Origins that were looked for, and whose sites have no cookies.
    private var originsWithout: Set<HTTPOrigin> = []
    private(set) var count = 0
    private var clock: UInt64 = 0
    /// When all cookies were looked at for such that have ended.
    private var lastSweep: UInt64 = 0

    init() {}

    /// A jar with these cookies, the later of which replace the earlier ones, or remove them if they have ended. What is
    /// too much is removed once, in the end.
    init(_ cookies: some Sequence<HTTPCookie>, now: Date) {
        var places: [HTTPCookie.Identity: Int] = [:]
        var latest: [HTTPCookie?] = []
        for cookie in cookies {
            let left = cookie.hasEnded(by: now) ? nil : cookie
            if let place = places[cookie.identity], latest[place] != nil {
                latest[place] = left
            } else if left != nil {
                places[cookie.identity] = latest.count
                latest.append(left)
            }
        }
        var cookiesOfSites: [String: [(cookie: HTTPCookie, key: CookieSite.Key)]] = [:]
        for case let cookie? in latest {
            clock &+= 1
            let key = CookieSite.Key(cookie, number: clock, created: now)
            cookiesOfSites[site(of: cookie.host), default: []].append((cookie, key))
        }
        for (site, cookies) in cookiesOfSites {
            change(site) { $0 = CookieSite(cookies, limit: Self.maximumPerSite, now: now) }
        }
        keepMaximum(now)
    }

    var isEmpty: Bool { count == 0 }

    /// All that have not ended, in the order of their creation.
    func cookies(now: Date) -> [HTTPCookie] {
        sites.values.flatMap(\.numbered).filter { !$0.cookie.hasEnded(by: now) }.sorted { $0.number < $1.number }
            .map(\.cookie)
    }

    /// What goes along with a request there: longer paths first, then earlier cookies (RFC 6265bis §5.8.3), as many as may
    /// be sent.
    mutating func cookies(for origin: CookieOrigin, now: Date) -> [HTTPCookie] {
        if isEmpty { return [] }
        clock &+= 1
        let all = sites[site(of: origin.host)]?.use(for: origin, at: clock, now: now) ?? []
        // Two bytes stand between them.
        var size = -2
        return Array(
            all.prefix(Self.maximumSent.count).prefix { cookie in
                size += cookie.pairSize + 2
                return size <= Self.maximumSent.size
            })
    }

    /// Costs less than to look for them.
    func isKnownToHaveNone(for origin: HTTPOrigin) -> Bool { isEmpty || originsWithout.contains(origin) }

    /// The bytes of `Cookie` for a request there, to this origin; nil for none.
    mutating func field(for place: CookieOrigin, of origin: HTTPOrigin, now: Date) -> [UInt8]? {
        if sites[site(of: place.host)] != nil { return field(for: place, now: now) }
        if originsWithout.count >= Self.maximumCount { originsWithout = [] }
        originsWithout.insert(origin)
        return nil
    }

    /// The bytes of `Cookie` for a request there; nil for none.
    mutating func field(for origin: CookieOrigin, now: Date) -> [UInt8]? {
        let cookies = cookies(for: origin, now: now)
        return cookies.isEmpty ? nil : Array(cookies.map(\.pair).joined(separator: [0x3B, 0x20]))
    }

    /// Stores `cookie`, or removes the one that it replaces if it has ended.
    mutating func set(_ cookie: HTTPCookie, now: Date) {
        clock &+= 1
        let key = CookieSite.Key(cookie, number: clock, created: now)
        change(site(of: cookie.host)) { site in
            if cookie.hasEnded(by: now) { return site.remove(cookie, key) }
            site.set(cookie, key)
            if site.count > Self.maximumPerSite { site.removeLeast(now) }
        }
        keepMaximum(now)
    }

    /// Stores what a response from there sets. A cookie without `Secure` from a plain origin does not take the place of
    /// one with it (RFC 6265bis §5.7, step 15).
    ///
    /// - Returns: whether it was stored, or removed one.
    mutating func set(_ cookie: HTTPCookie, from origin: CookieOrigin, now: Date) -> Bool {
        if !cookie.isSecure, !origin.isSecure, sites[site(of: cookie.host)]?.hidesSecure(cookie) == true {
            return false
        }
        set(cookie, now: now)
        return true
    }

    mutating func remove(_ cookie: HTTPCookie) {
        let key = CookieSite.Key(cookie, number: 0, created: .distantPast)
        change(site(of: cookie.host)) { $0.remove(cookie, key) }
    }

    /// Removes the cookies that were created at `date` or later.
    mutating func removeAll(since date: Date) { removeAll { $0.created >= date } }

    /// Removes the cookies that end with their session.
    mutating func removeSessionCookies() { removeAll { $0.end == nil } }

    private mutating func removeAll(where isGone: (CookieSite.Key) -> Bool) {
        for (name, site) in sites where site.contains(where: isGone) {
            change(name) { $0.removeAll(where: isGone) }
        }
    }

    /// Changes a site, and what is known of all sites.
    private mutating func change(_ name: String, _ body: (inout CookieSite) -> Void) {
        var site = sites.removeValue(forKey: name) ?? CookieSite()
        let before = site.count
        body(&site)
        let after = site.count
        if after > 0 { sites[name] = site }
        if before == after { return }
        if before == 0 { originsWithout = [] }
        count += after - before
        if before > 0 { sitesBySize[before - 1].remove(name) }
        while sitesBySize.count < after { sitesBySize.append([]) }
        if after > 0 { sitesBySize[after - 1].insert(name) }
    }

    private mutating func keepMaximum(_ now: Date) {
        if count <= Self.maximumCount { return }
        // All of them are looked at once for every tenth of the jar that comes in.
        let tenth = Self.maximumCount / 10
        if clock &- lastSweep >= UInt64(tenth) {
            lastSweep = clock
            removeAll { $0.hasEnded(by: now) }
        }
        while count > Self.maximumCount, let largest = sitesBySize.last(where: { !$0.isEmpty }) {
            // Where many are the largest, those lose one whose cookie was used least recently, and a tenth of the jar at
            // a time, because they have to be sorted.
            let ranked = largest.compactMap { name in sites[name]?.leastRank(now).map { (name, $0) } }
            for (name, _) in ranked.sorted(by: { $0.1 < $1.1 }).prefix(max(tenth, count - Self.maximumCount)) {
                change(name) { $0.removeLeast(now) }
            }
        }
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

/// The cookies of one site, in no order.
struct CookieSite: Sendable {
    /// What is compared of a cookie before its bytes: numbers alone, which lie side by side.
    struct Key: Sendable {
        /// The order of creation; a cookie that replaces another keeps its place.
        fileprivate(set) var number: UInt64
        /// When it was created, in the time of the caller.
        fileprivate(set) var created: Date
        /// When it ends; nil for the end of its session.
        let end: Date?
        /// The order of use.
        fileprivate var used: UInt64
        fileprivate let isSecure: Bool
        fileprivate let identityHash: Int
        fileprivate let nameHash: Int
        fileprivate let pathHash: UInt64
        fileprivate let pathSize: Int

        init(_ cookie: HTTPCookie, number: UInt64, created: Date) {
            (self.number, self.created, used) = (number, created, number)
            (end, isSecure) = (cookie.expiresDate, cookie.isSecure)
            identityHash = cookie.identity.hashValue
            nameHash = cookie.identity.name.hashValue
            let path = CookiePath(cookie.identity.path.bytes)
            (pathHash, pathSize) = (path.hash, path.count)
        }

        func hasEnded(by now: Date) -> Bool { end.map { $0 <= now } ?? false }

        /// The lowest rank goes first: what has ended, then what has no `Secure`, then what was used least recently.
        fileprivate func rank(_ now: Date) -> (Int, UInt64) { (hasEnded(by: now) ? 0 : isSecure ? 2 : 1, used) }
    }

    private var keys: [Key] = []
    private var cookies: [HTTPCookie] = []

    init() {}

    /// The highest of these.
    init(_ cookies: [(cookie: HTTPCookie, key: Key)], limit: Int, now: Date) {
        let highest = cookies.sorted { $0.key.rank(now) > $1.key.rank(now) }.prefix(limit)
        (keys, self.cookies) = (highest.map(\.key), highest.map(\.cookie))
    }

    var count: Int { keys.count }

    var numbered: [(number: UInt64, cookie: HTTPCookie)] { keys.indices.map { (keys[$0].number, cookies[$0]) } }

    func contains(where isMatch: (Key) -> Bool) -> Bool { keys.contains(where: isMatch) }

    mutating func set(_ cookie: HTTPCookie, _ key: Key) {
        guard let place = place(of: cookie, key) else {
            keys.append(key)
            return cookies.append(cookie)
        }
        let (number, created) = (keys[place].number, keys[place].created)
        (keys[place], cookies[place]) = (key, cookie)
        (keys[place].number, keys[place].created) = (number, created)
    }

    mutating func remove(_ cookie: HTTPCookie, _ key: Key) {
        if let place = place(of: cookie, key) { remove(at: place) }
    }

    mutating func removeAll(where isGone: (Key) -> Bool) {
        for place in keys.indices.reversed() where isGone(keys[place]) { remove(at: place) }
    }

    fileprivate mutating func removeLeast(_ now: Date) {
        let least = keys.indices.min { keys[$0].rank(now) < keys[$1].rank(now) }
        if let least { remove(at: least) }
    }

    fileprivate func leastRank(_ now: Date) -> (Int, UInt64)? { keys.lazy.map { $0.rank(now) }.min(by: <) }

    private func place(of cookie: HTTPCookie, _ key: Key) -> Int? {
        keys.indices.first { keys[$0].identityHash == key.identityHash && cookies[$0].identity == cookie.identity }
    }

    private mutating func remove(at place: Int) {
        keys.swapAt(place, keys.count - 1)
        keys.removeLast()
        cookies.swapAt(place, cookies.count - 1)
        cookies.removeLast()
    }

    /// What goes along with a request there, in its order (RFC 6265bis §5.8.3). It counts as used at `clock`.
    mutating func use(for origin: CookieOrigin, at clock: UInt64, now: Date) -> [HTTPCookie] {
        let path = CookiePath(origin.path.utf8)
        var places = keys.indices.filter { place in
            let key = keys[place]
            return (origin.isSecure || !key.isSecure) && !key.hasEnded(by: now) && isWithin(place, path)
                && (cookies[place].isHostOnly
                    ? origin.host == cookies[place].domain : origin.isWithin(domain: cookies[place].host))
        }
        for place in places { keys[place].used = clock }
        places.sort {
            let (left, right) = (keys[$0], keys[$1])
            return left.pathSize == right.pathSize ? left.number < right.number : left.pathSize > right.pathSize
        }
        return places.map { cookies[$0] }
    }

    /// Whether a path lies within that of a cookie.
    private func isWithin(_ place: Int, _ path: CookiePath) -> Bool {
        path.isWithin(keys[place].pathHash, size: keys[place].pathSize) { cookies[place].identity.path.bytes }
    }

    /// Whether one with `Secure` has the same name, and would be hidden by `cookie` where they are sent.
    fileprivate func hidesSecure(_ cookie: HTTPCookie) -> Bool {
        let name = cookie.identity.name.hashValue
        let places = keys.indices.filter { keys[$0].isSecure && keys[$0].nameHash == name }
        if places.isEmpty { return false }
        let (path, host) = (CookiePath(cookie.identity.path.bytes), cookie.host)
        return places.contains { place in
            guard isWithin(place, path) else { return false }
            let other = cookies[place].host
            return
                (host == other || CookieOrigin.isHost(host, beneath: other)
                || CookieOrigin.isHost(other, beneath: host)) && cookies[place].identity.name == cookie.identity.name
        }
    }
}
