// SPDX-License-Identifier: Apache-2.0

/// A stored response and its content.
struct CacheEntry: Sendable {
    var response: StoredResponse
    let content: StoredContent
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
        let cost: Int
        var lastUse: UInt64
    }

    private var items: [String: [Item]] = [:]
    private var clock: UInt64 = 0
    private(set) var usage = 0
    var capacity: Int { didSet { makeRoom() } }

    init(capacity: Int) { self.capacity = capacity }

    /// The maximum length of the content of one response.
    var maximumContentLength: Int { max(0, capacity / Self.largestPart - Self.overhead) }

    /// What is stored under the URL, most recent first. They count as used if one of them is taken: see `use`.
    func entries(for url: String) -> [CacheEntry] { (items[url] ?? []).map(\.entry) }

    /// The first that fulfils the condition; it counts as used.
    mutating func use(_ url: String, where matches: (StoredResponse) -> Bool) -> CacheEntry? {
        guard let index = items[url]?.firstIndex(where: { matches($0.entry.response) }) else { return nil }
        clock &+= 1
        items[url]?[index].lastUse = clock
        return items[url]?[index].entry
    }

    /// Stores a response in place of those that it replaces. Nothing if it is too large.
    mutating func store(_ entry: CacheEntry) {
        remove(entry.response.url) { $0.isReplaced(by: entry.response) }
        guard case .bytes(let bytes) = entry.content, bytes.count <= maximumContentLength else { return }
        clock &+= 1
        let cost = bytes.count + entry.response.headSize + Self.overhead
        items[entry.response.url, default: []].insert(Item(entry: entry, cost: cost, lastUse: clock), at: 0)
        usage += cost
        if usage > capacity { makeRoom() }
    }

    /// Replaces the response with the same content, if it is still stored.
    mutating func update(_ response: StoredResponse) {
        let name = response.contentName
        guard let index = items[response.url]?.firstIndex(where: { $0.entry.response.contentName == name }) else {
            return
        }
        items[response.url]?[index].entry.response = response
    }

    mutating func remove(_ url: String, where isRemoved: (StoredResponse) -> Bool) {
        guard let known = items[url] else { return }
        let kept = known.filter { !isRemoved($0.entry.response) }
        usage -= known.reduce(0) { $0 + $1.cost } - kept.reduce(0) { $0 + $1.cost }
        items[url] = kept.isEmpty ? nil : kept
    }

    mutating func removeAll(where isRemoved: (StoredResponse) -> Bool) {
        for url in Array(items.keys) { remove(url, where: isRemoved) }
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
    fileprivate var headSize: Int { 2 * (url.utf8.count + freshness.encodedHead.count) }
}
