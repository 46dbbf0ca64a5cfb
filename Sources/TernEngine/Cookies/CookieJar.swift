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
    static let maximumSent = (count: 150, size: 32 * 1024)

    /// By registrable domain.
    private var sites: [String: CookieSite] = [:]
    /// The sites with one cookie, with two, and so on.
    private var sitesBySize: [Set<String>] = []
    /// The registrable domains of hosts that were looked for.
    private var siteOfHost: [String: String] = [:]
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
        var entries: [String: [CookieSite.Entry]] = [:]
        for case let cookie? in latest {
            clock &+= 1
            let entry = CookieSite.Entry(cookie, number: clock, created: now)
            entries[site(of: cookie.host), default: []].append(entry)
        }
        for (site, entries) in entries {
            change(site) { $0 = CookieSite(entries, limit: Self.maximumPerSite, now: now) }
        }
        keepMaximum(now)
    }

    var isEmpty: Bool { count == 0 }

    /// All that have not ended, in the order of their creation.
    func cookies(now: Date) -> [HTTPCookie] {
        sites.values.flatMap(\.entries).filter { !$0.cookie.hasEnded(by: now) }.sorted { $0.number < $1.number }
            .map(\.cookie)
    }

    /// What goes along with a request there: longer paths first, then earlier cookies (RFC 6265bis §5.8.3).
    mutating func cookies(for origin: CookieOrigin, now: Date) -> [HTTPCookie] {
        if isEmpty { return [] }
        clock &+= 1
        return sites[site(of: origin.host)]?.use(for: origin, at: clock, now: now) ?? []
    }

    /// The bytes of `Cookie` for a request there; nil for none.
    mutating func field(for origin: CookieOrigin, now: Date) -> [UInt8]? {
        var field: [UInt8] = []
        for cookie in cookies(for: origin, now: now).prefix(Self.maximumSent.count) {
            if field.count + cookie.pairSize + 2 > Self.maximumSent.size { break }
            if !field.isEmpty { field += [0x3B, 0x20] }
            field += cookie.pair
        }
        return field.isEmpty ? nil : field
    }

    /// Stores `cookie`, or removes the one that it replaces if it has ended.
    mutating func set(_ cookie: HTTPCookie, now: Date) {
        clock &+= 1
        let entry = CookieSite.Entry(cookie, number: clock, created: now)
        change(site(of: cookie.host)) { site in
            if cookie.hasEnded(by: now) { return site.remove(entry) }
            site.set(entry)
            if site.entries.count > Self.maximumPerSite { site.removeLeast(now) }
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
        let entry = CookieSite.Entry(cookie, number: 0, created: .distantPast)
        change(site(of: cookie.host)) { $0.remove(entry) }
    }

    /// Removes the cookies that were created at `date` or later.
    mutating func removeAll(since date: Date) { removeAll { $0.created >= date } }

    /// Removes the cookies that end with their session.
    mutating func removeSessionCookies() { removeAll { $0.cookie.isSessionOnly } }

    private mutating func removeAll(where isGone: (CookieSite.Entry) -> Bool) {
        for (name, site) in sites where site.entries.contains(where: isGone) {
            change(name) { $0.removeAll(where: isGone) }
        }
    }

    /// Changes a site, and what is known of all sites.
    private mutating func change(_ name: String, _ body: (inout CookieSite) -> Void) {
        var site = sites.removeValue(forKey: name) ?? CookieSite()
        let before = site.entries.count
        body(&site)
        let after = site.entries.count
        if after > 0 { sites[name] = site }
        if before == after { return }
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
            removeAll { $0.cookie.hasEnded(by: now) }
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

/// The cookies of one site.
struct CookieSite: Sendable {
    struct Entry: Sendable {
        fileprivate(set) var cookie: HTTPCookie
        /// The order of creation; a cookie that replaces another keeps its place.
        fileprivate(set) var number: UInt64
        /// When it was created, in the time of the caller.
        fileprivate(set) var created: Date
        /// The order of use.
        fileprivate var used: UInt64
        fileprivate let path: [UInt8]
        fileprivate let pathHash: UInt64
        fileprivate let nameHash: Int
        fileprivate let identityHash: Int

        init(_ cookie: HTTPCookie, number: UInt64, created: Date) {
            (self.cookie, self.number, self.created, used) = (cookie, number, created, number)
            path = cookie.bytes.path.bytes
            pathHash = CookiePath.hash(of: path)
            nameHash = cookie.bytes.name.hashValue
            identityHash = cookie.identity.hashValue
        }

        fileprivate func isSame(as other: Entry) -> Bool {
            identityHash == other.identityHash && cookie.identity == other.cookie.identity
        }

        /// The lowest rank goes first: what has ended, then what has no `Secure`, then what was used least recently.
        fileprivate func rank(_ now: Date) -> (Int, UInt64) {
            (cookie.hasEnded(by: now) ? 0 : cookie.isSecure ? 2 : 1, used)
        }
    }

    /// In no order.
    private(set) var entries: [Entry] = []

    init() {}

    /// The highest of these, in any order.
    init(_ entries: [Entry], limit: Int, now: Date) {
        self.entries = Array(entries.sorted { $0.rank(now) > $1.rank(now) }.prefix(limit))
    }

    mutating func set(_ entry: Entry) {
        guard let place = entries.firstIndex(where: entry.isSame) else { return entries.append(entry) }
        entries[place].cookie = entry.cookie
        entries[place].used = entry.number
    }

    mutating func remove(_ entry: Entry) {
        if let place = entries.firstIndex(where: entry.isSame) { remove(at: place) }
    }

    mutating func removeAll(where isGone: (Entry) -> Bool) { entries.removeAll(where: isGone) }

    mutating func removeLeast(_ now: Date) {
        let least = entries.indices.min { entries[$0].rank(now) < entries[$1].rank(now) }
        if let least { remove(at: least) }
    }

    func leastRank(_ now: Date) -> (Int, UInt64)? { entries.lazy.map { $0.rank(now) }.min(by: <) }

    private mutating func remove(at place: Int) {
        entries.swapAt(place, entries.count - 1)
        entries.removeLast()
    }

    /// What goes along with a request there, in its order. They count as used at `clock`.
    mutating func use(for origin: CookieOrigin, at clock: UInt64, now: Date) -> [HTTPCookie] {
        let path = CookiePath(origin.path.utf8)
        var places = entries.indices.filter { entries[$0].isFor(origin, path) && !entries[$0].cookie.hasEnded(by: now) }
        for place in places { entries[place].used = clock }
        places.sort {
            let (left, right) = (entries[$0], entries[$1])
            return left.path.count == right.path.count
                ? left.number < right.number : left.path.count > right.path.count
        }
        return places.map { entries[$0].cookie }
    }

    /// Whether one with `Secure` has the same name, and would be hidden by `cookie` where they are sent.
    func hidesSecure(_ cookie: HTTPCookie) -> Bool {
        let (name, host) = (cookie.bytes.name.hashValue, cookie.host)
        let isNamesake = { (entry: Entry) in entry.cookie.isSecure && entry.nameHash == name }
        guard entries.contains(where: isNamesake) else { return false }
        let path = CookiePath(cookie.bytes.path.bytes)
        return entries.contains { entry in
            guard isNamesake(entry), path.isWithin(entry.path, hash: entry.pathHash) else { return false }
            let other = entry.cookie.host
            return
                (host == other || CookieOrigin.isHost(host, beneath: other)
                || CookieOrigin.isHost(other, beneath: host)) && entry.cookie.bytes.name == cookie.bytes.name
        }
    }
}

extension CookieSite.Entry {
    /// Whether the cookie goes along with a request to `origin`, whose path is `path` (RFC 6265bis §5.8.3).
    fileprivate func isFor(_ origin: CookieOrigin, _ path: CookiePath) -> Bool {
        (origin.isSecure || !cookie.isSecure) && path.isWithin(self.path, hash: pathHash)
            && (cookie.isHostOnly ? origin.host == cookie.domain : origin.isWithin(domain: cookie.host))
    }
}
