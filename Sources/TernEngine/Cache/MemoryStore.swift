// SPDX-License-Identifier: Apache-2.0

/// A stored response and its content.
struct CacheEntry: Sendable {
    var response: StoredResponse
    let content: StoredContent
    /// Whether it is stored in the cache's folder, too.
    var isInFolder = false
}

/// The content of a stored response, as received without the framing and before it is decoded.
enum StoredContent: Sendable {
    case bytes([UInt8])
    case file(CacheFile)
}

/// The stored responses in memory, with the least recently used ones evicted first.
struct MemoryStore {
    /// The cost of a stored response besides its content and its head, in bytes.
    private static let overhead = 512
    /// The part of the capacity that one response may take.
    private static let largestPart = 2

    private struct Item {
        var entry: CacheEntry
        var cost: Int
        var lastUse: UInt64
    }

    private var items: [String: [Item]] = [:]
    private var clock: UInt64 = 0
    private(set) var usage = 0
    var capacity: Int { didSet { makeRoom() } }

    init(capacity: Int) { self.capacity = capacity }

    /// The maximum length of the content of one response; negative if none is stored.
    var maximumContentLength: Int { capacity / Self.largestPart - Self.overhead }

    /// The names of all contents.
    var contentNames: Set<String> { Set(items.values.joined().map(\.entry.response.contentName)) }

    /// Whether anything is stored under the URL.
    func contains(_ url: String) -> Bool { items[url] != nil }

    /// The response with this content; it counts as used.
    mutating func use(_ url: String, contentName: String) -> CacheEntry? {
        use(url) { $0.contentName == contentName }
    }

    /// The most recent response (RFC 9111 §4) that fulfils the condition; it counts as used.
    mutating func use(_ url: String, where matches: (StoredResponse) -> Bool) -> CacheEntry? {
        guard let place = items.index(forKey: url),
            let index = items.values[place].firstIndex(where: { matches($0.entry.response) })
        else { return nil }
        clock &+= 1
        items.values[place][index].lastUse = clock
        return items.values[place][index].entry
    }

    /// Stores a response in place of those that it replaces. Nothing if it is too large.
    mutating func store(_ entry: CacheEntry) {
        remove(entry.response.url) { $0.isReplaced(by: entry.response) }
        let headSize = entry.response.headSize
        guard case .bytes(let bytes) = entry.content, max(bytes.count, headSize) <= maximumContentLength else { return }
        clock &+= 1
        let cost = bytes.count + headSize + Self.overhead
        insert(Item(entry: entry, cost: cost, lastUse: clock))
        usage += cost
        limitVariants(of: entry.response.url)
        if usage > capacity { makeRoom() }
    }

    /// Replaces the response with the same content, if it is still stored.
    mutating func update(_ response: StoredResponse) {
        let name = response.contentName
        guard let index = items[response.url]?.firstIndex(where: { $0.entry.response.contentName == name }),
            var item = items[response.url]?.remove(at: index)
        else { return }
        // Its head may have grown.
        let growth = response.headSize - item.entry.response.headSize
        item.cost += growth
        usage += growth
        item.entry.response = response
        insert(item)
        if usage > capacity { makeRoom() }
    }

    private mutating func insert(_ item: Item) {
        let response = item.entry.response
        let place = items[response.url]?.firstIndex { !$0.entry.response.isMoreRecent(than: response) }
        let end = items[response.url]?.count ?? 0
        items[response.url, default: []].insert(item, at: place ?? end)
    }

    mutating func remove(_ url: String, where isRemoved: (StoredResponse) -> Bool) {
        guard let known = items[url] else { return }
        let kept = known.filter { !isRemoved($0.entry.response) }
        usage -= known.reduce(0) { $0 + $1.cost } - kept.reduce(0) { $0 + $1.cost }
        items[url] = kept.isEmpty ? nil : kept
    }

    private mutating func limitVariants(of url: String) {
        guard let known = items[url], known.count > StoredResponse.maximumVariantCount else { return }
        let oldest = known.min { $0.lastUse < $1.lastUse }?.entry.response.contentName
        remove(url) { $0.contentName == oldest }
    }

    mutating func removeAll(where isRemoved: (StoredResponse) -> Bool) {
        for url in Array(items.keys) { remove(url, where: isRemoved) }
    }

    /// Removes what is stored in the folder, too.
    mutating func removeAllInFolder() {
        for url in Array(items.keys) {
            let names = (items[url] ?? []).filter(\.entry.isInFolder).map(\.entry.response.contentName)
            if !names.isEmpty { remove(url) { names.contains($0.contentName) } }
        }
    }

    /// A tenth at a time, so that the list is not sorted for each response.
    private mutating func makeRoom() {
        guard usage > capacity else { return }
        let byUse = items.values.joined().sorted { $0.lastUse < $1.lastUse }
        for item in byUse where usage > capacity / 10 * 9 {
            let name = item.entry.response.contentName
            remove(item.entry.response.url) { $0.contentName == name }
        }
    }
}

extension StoredResponse {
    /// The approximate size of the head and the key in memory, in bytes.
    fileprivate var headSize: Int { 2 * (url.utf8.count + (given == nil ? 1 : 2) * freshness.headSize) }
}
