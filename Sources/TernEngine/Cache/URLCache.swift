// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import Synchronization
import TernHTTP1
import TernIO
import TernLock

/// A private cache of responses (RFC 9111), with the members of Foundation's class: in memory, and beyond the process in
/// a folder, if it has one.
///
/// Sessions may share a cache, and processes a folder. A response answers requests with the same method, URL, credentials
/// and trust policy only, and the same values of the fields that its `Vary` names. Any thread may use it.
public final class URLCache: Sendable {
    /// Where a response may be stored.
    public enum StoragePolicy: UInt, Sendable, Hashable {
        /// In memory and in the folder.
        case allowed
        /// In memory, for as long as the process runs.
        case allowedInMemoryOnly
        /// Nowhere.
        case notAllowed
    }

    /// A cache of the process: until it is set one of 4 MB in memory. No session uses it unless its configuration says so.
    public static var shared: URLCache {
        get { ofProcess.withLock { $0 } }
        set {
            // The former one is released outside the lock.
            var other = newValue
            ofProcess.withLock { swap(&$0, &other) }
        }
    }

    private static let ofProcess = Lock(URLCache(memoryCapacity: 4 * 1024 * 1024))

    private struct State {
        var memory: MemoryStore
        /// The number of bytes that are collected to be stored.
        var collected = 0
        /// The number of bytes that are to be written to files of the folder.
        var unwritten = 0
        /// By the names of contents.
        var userInfo: [String: CachedUserInfo] = [:]
        /// What is to be noted in the folder.
        var uses = CacheUses()
        /// When the folder was asked whether others have removed something, in seconds.
        var lastCheck = Int64.min
        /// The first error of writing to the folder.
        var diskError: (any Error)?

        mutating func takeUserInfo() -> [String: CachedUserInfo] {
            defer { userInfo = [:] }
            return userInfo
        }
    }

    /// The maximum number of bytes that wait to be written, those of responses that are collected in memory first apart.
    private static let maximumUnwritten = 8 * 1024 * 1024

    /// How long uses are collected before they are noted in the folder.
    private static let useDelay = Duration.seconds(1)

    private let state: Lock<State>
    let folder: CacheFolder?
    let flights = CacheFlights()
    /// Everything that waits for the disk, in order: what is stored is found, and what was removed is not.
    private let queue = SerialQueue()
    /// Seconds since 1970-01-01T00:00:00Z.
    let clock: @Sendable () -> Int64

    /// Creates a cache in memory.
    ///
    /// - Parameter memoryCapacity: the maximum size of all responses in bytes; a response of more than half of that is not
    ///   stored.
    public convenience init(memoryCapacity: Int = 4 * 1024 * 1024) {
        self.init(memoryCapacity: memoryCapacity, folder: nil)
    }

    /// Creates a cache in memory and in a folder, which outlives the process and which several processes may share.
    ///
    /// The folder is created if it does not exist; nobody else may read it. It must be empty, or have been created by a
    /// cache: what is least recently used is deleted from it. Blocks for the disk.
    ///
    /// - Parameters:
    ///   - memoryCapacity: the maximum size of all responses in memory, in bytes.
    ///   - diskCapacity: the maximum size of the files in the folder, in bytes. A response of more than half of that is not
    ///     stored. Processes that share the folder may exceed it for a moment.
    ///   - folder: its location.
    public convenience init(
        memoryCapacity: Int = 4 * 1024 * 1024, diskCapacity: Int = 256 * 1024 * 1024, folder: URL
    ) throws(URLCacheError) {
        let path = folder.path(percentEncoded: false)
        self.init(
            memoryCapacity: memoryCapacity,
            folder: try CacheFolder(path: path, capacity: Int64(clamping: max(0, diskCapacity))))
    }

    /// Creates a cache in memory that says why it has no folder.
    package convenience init(memoryCapacity: Int = 4 * 1024 * 1024, without error: URLCacheError) {
        self.init(memoryCapacity: memoryCapacity)
        failed(error)
    }

    init(
        memoryCapacity: Int, folder: CacheFolder?,
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        state = Lock(State(memory: MemoryStore(capacity: max(0, memoryCapacity))))
        (self.folder, self.clock) = (folder, clock)
    }

    /// The maximum size of all responses in memory, in bytes; what is too much is evicted at once, with the values that a
    /// program keeps with it. Those that are arriving may take as
    /// much again: what exceeds that goes to the folder, or is not stored. At most 8 MB wait to be written to the folder.
    public var memoryCapacity: Int {
        get { state.withLock { $0.memory.capacity } }
        set {
            let former = state.withLock { state in
                state.memory.capacity = max(0, newValue)
                let left = state.memory.contentNames
                defer { state.userInfo = state.userInfo.filter { left.contains($0.key) } }
                return state.userInfo
            }
            // The program's objects end where nothing is locked.
            withExtendedLifetime(former) {}
        }
    }

    /// The maximum size of the files in the folder, in bytes; 0 without a folder, where setting it does nothing. What is too
    /// much is deleted at once: setting a smaller one blocks for the disk.
    public var diskCapacity: Int {
        get { folder.map { Int(clamping: $0.capacity) } ?? 0 }
        set {
            guard let folder else { return }
            let capacity = Int64(clamping: max(0, newValue))
            let isSmaller = capacity < folder.capacity
            folder.capacity = capacity
            if isSmaller { flush() }
        }
    }

    /// The size of all responses in memory, in bytes, with those that are arriving to be stored.
    public var currentMemoryUsage: Int { state.withLock { $0.memory.usage + $0.collected + $0.unwritten } }

    /// The size of the files in the folder, in bytes, as its processes have noted it. Blocks for the disk, and for as long as
    /// it takes to look at all of them if no process has.
    public var currentDiskUsage: Int { folder.map { Int(clamping: $0.usage) } ?? 0 }

    /// Why responses could not be written to the folder: the first error, such as a full disk; nil while there was none.
    /// The cache goes on in memory then, and with what can be written.
    public var diskError: (any Error)? { state.withLock { $0.diskError } }

    /// Waits until everything stored so far is in the folder, and what must go from it is gone. Blocks.
    public func flush() {
        queue.sync { writeUses() }
        folder?.finishSweep()
    }
}

extension URLCache {
    /// Waits until no stale response that has been the answer is being validated, for this long at most. Blocks; not for a
    /// reactor's thread.
    package func finishValidations(within limit: Duration) {
        let end = Semaphore()
        flights.whenValidated { end.signal() }
        _ = end.wait(atMost: limit)
    }
}

// As programs use it
extension URLCache {
    /// The most recent response to this request, fresh or stale; nil without one. Blocks if it is in the folder. The trust
    /// policies of sessions do not count here.
    ///
    /// A response that was stored with `storeCachedResponse(_:for:)` comes back as it was stored; one from the folder
    /// has the URL of the request. That of a session has the `Date` of its arrival, if its server sent none, and the
    /// length of its content.
    public func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let query = CacheQuery(storing: request) else { return nil }
        guard let entry = queue.sync({ find(query, underAnyTrustPolicy: true) }).entry else { return nil }
        let userInfo = state.withLock { $0.userInfo[entry.response.contentName] }
        if let given = entry.response.given {
            let response = GivenResponse(
                url: given.response.url ?? request.url, head: given.response.head,
                isDecoded: given.response.isContentDecoded)
            return CachedURLResponse(
                response.response, stored: entry.content, userInfo,
                given.isInMemoryOnly ? .allowedInMemoryOnly : .allowed)
        }
        return CachedURLResponse(
            HTTPURLResponse(url: request.url, head: entry.response.head), entry.content, userInfo)
    }

    /// Stores a response for this request, in place of what was stored for it. It is fresh for as long as its fields say,
    /// and answers requests under every trust policy: the program vouches for it. Nothing for a method other than GET.
    public func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard let query = CacheQuery(storing: request), query.method == "GET" else { return }
        let now = clock()
        let data = cachedResponse.data
        let response = StoredResponse(
            cachedResponse.given, answering: query, requestTime: now, responseTime: now,
            contentLength: Int64(data.count))
        guard let response else { return }
        store(response, .bytes(Array(data)), cachedResponse.storagePolicy, cachedResponse.information)
    }

    /// Removes what is stored for the URL of this request, whatever its fields.
    public func removeCachedResponse(for request: URLRequest) {
        if let query = CacheQuery(storing: request) { remove(url: query.url) }
    }

    /// Removes all responses, those of other processes in the folder included.
    public func removeAllCachedResponses() { remove(since: nil) }

    /// Removes the responses that were stored, or validated, at this time or later.
    public func removeCachedResponses(since date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        remove(since: Int64(exactly: seconds) ?? (seconds > 0 ? .max : .min))
    }

    private func remove(since seconds: Int64?) {
        flights.removed(nil)
        let userInfo = state.withLock { state in
            state.memory.removeAll { $0.responseTime >= seconds ?? .min }
            return state.takeUserInfo()
        }
        // The program's objects end where nothing is locked.
        withExtendedLifetime(userInfo) {}
        write { $0.removeAll(since: seconds) }
    }
}

// As sessions use it
extension URLCache {
    /// The most recent response in memory that matches; it counts as used there.
    func entryInMemory(_ query: CacheQuery) -> CacheEntry? {
        var matcher = query.matcher()
        return state.withLock { $0.memory.use(query.url) { matcher.matches($0.scope, $0.varyingFields) } }
    }

    /// The most recent response that matches, and whether anything is stored for the URL; nil if a disk must be asked.
    func entryWithoutLookup(_ query: CacheQuery) -> (entry: CacheEntry?, isAnythingStored: Bool)? {
        folder == nil ? findInMemory(query, underAnyTrustPolicy: false) : nil
    }

    /// Calls `completion` with the most recent response that matches, and whether anything is stored for the URL: on the
    /// cache's queue.
    func lookUp(
        _ query: CacheQuery,
        _ completion: @escaping @Sendable ((entry: CacheEntry?, isAnythingStored: Bool)) -> Void
    ) {
        queue.async { completion(self.find(query, underAnyTrustPolicy: false)) }
    }

    private func findInMemory(
        _ query: CacheQuery, underAnyTrustPolicy: Bool
    ) -> (entry: CacheEntry?, isAnythingStored: Bool) {
        var matcher = query.matcher(underAnyTrustPolicy: underAnyTrustPolicy)
        return state.withLock { state in
            let entry = state.memory.use(query.url) { matcher.matches($0.scope, $0.varyingFields) }
            return (entry, entry != nil || state.memory.contains(query.url))
        }
    }

    /// On the queue: in memory, and in the folder. All records are compared, and one content is opened.
    private func find(
        _ query: CacheQuery, underAnyTrustPolicy: Bool
    ) -> (entry: CacheEntry?, isAnythingStored: Bool) {
        if isCheckDue(clock()) { forgetRemoved() }
        let known = findInMemory(query, underAnyTrustPolicy: underAnyTrustPolicy)
        guard let folder else { return known }
        var matcher = query.matcher(underAnyTrustPolicy: underAnyTrustPolicy)
        let records = folder.records(for: query.url)
        let responses = records.filter { matcher.matches($0.scope, $0.varyingFields) }
            .compactMap { $0.response(url: query.url) }.sorted { $0.isMoreRecent(than: $1) }
        // What is in memory alone.
        let entry = known.entry.flatMap { entry in
            responses.contains { $0.contentName == entry.response.contentName } ? nil : entry
        }
        for response in responses {
            if let entry, entry.response.isMoreRecent(than: response) { break }
            if let found = self.entry(of: response, in: folder) { return (found, true) }
        }
        return (entry, known.isAnythingStored || !records.isEmpty)
    }

    /// Nil if its content is missing, or was not written as a whole.
    private func entry(of response: StoredResponse, in folder: CacheFolder) -> CacheEntry? {
        if let known = state.withLock({ $0.memory.use(response.url, contentName: response.contentName) }) {
            return CacheEntry(response: response, content: known.content, isInFolder: true)
        }
        return folder.content(of: response).map {
            promoted(CacheEntry(response: response, content: .file($0), isInFolder: true))
        }
    }

    /// Takes small content into memory.
    private func promoted(_ entry: CacheEntry) -> CacheEntry {
        let limit = state.withLock { $0.memory.maximumContentLength }
        guard entry.response.contentLength <= limit, let bytes = try? entry.content.readAll() else { return entry }
        let promoted = CacheEntry(response: entry.response, content: .bytes(bytes), isInFolder: true)
        state.withLock { $0.memory.store(promoted) }
        return promoted
    }

    /// Whether content of this length can be stored, in memory or in the folder.
    func admits(length: Int64) -> Bool {
        admitsInMemory(length: length) || length <= folder?.maximumContentLength ?? -1
    }

    func admitsInMemory(length: Int64) -> Bool { length <= state.withLock { $0.memory.maximumContentLength } }

    /// Counts bytes that are collected in memory to be stored. Returns false, and counts nothing, if all that are collected
    /// would take more than the memory's capacity.
    fileprivate func collect(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= state.memory.capacity - state.collected else { return false }
            state.collected += count
            return true
        }
    }

    fileprivate func discard(_ count: Int) { state.withLock { $0.collected -= count } }

    /// Counts bytes that are to be written to a file. Returns false, and counts nothing, if too many wait: the disk does not
    /// keep up.
    func waitForDisk(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= Self.maximumUnwritten - state.unwritten else { return false }
            state.unwritten += count
            return true
        }
    }

    func written(_ count: Int) { state.withLock { $0.unwritten -= count } }

    /// Stores a response in place of those that it replaces. It replaces them also if it cannot be stored.
    func store(
        _ response: StoredResponse, _ content: CollectedContent, _ policy: StoragePolicy,
        _ userInfo: CachedUserInfo? = nil
    ) {
        guard policy != .notAllowed else { return }
        guard admits(length: response.contentLength) else {
            state.withLock { $0.memory.remove(response.url) { $0.isReplaced(by: response) } }
            return write { $0.removeReplaced(by: response) }
        }
        let former = state.withLock { state in
            let isFull = userInfo != nil && state.userInfo.count >= 1024
            let former = isFull ? state.takeUserInfo() : [:]
            if let userInfo { state.userInfo[response.contentName] = userInfo }
            switch content {
            case .bytes(let bytes):
                let isInFolder = policy == .allowed && folder != nil
                state.memory.store(CacheEntry(response: response, content: .bytes(bytes), isInFolder: isInFolder))
            case .file: state.memory.remove(response.url) { $0.isReplaced(by: response) }
            }
            return former
        }
        withExtendedLifetime(former) {}
        guard policy == .allowed else {
            // What it replaces must not come back.
            return write { $0.removeReplaced(by: response) }
        }
        write { folder in
            switch content {
            case .file(let spill): try folder.store(response, spill.finished())
            case .bytes(let bytes):
                let writer = try folder.makeContent()
                try writer.write(bytes.span)
                try folder.store(response, writer)
            }
        }
    }

    /// Stores the answer to the question whether a response is stored.
    ///
    /// - Parameter moment: when the request was sent. Nothing is stored if what is stored for the URL was removed since.
    func store(
        _ answer: CachedURLResponse?, in response: StoredResponse, answering query: CacheQuery, since moment: UInt64
    ) {
        guard let answer, flights.isCurrent(query.url, since: moment) else { return }
        if let content = answer.received as? CollectedContent {
            return store(response, content, answer.storagePolicy, answer.information)
        }
        let data = answer.data
        let changed = StoredResponse(
            answer.given, answering: query, requestTime: response.requestTime, responseTime: response.responseTime,
            contentLength: Int64(data.count))
        guard let changed else { return }
        store(changed, .bytes(Array(data)), answer.storagePolicy, answer.information)
    }

    /// Content could not be written to the folder.
    func failed(_ error: any Error) { state.withLock { $0.diskError = $0.diskError ?? error } }

    /// A head confirms a response (RFC 9111 §3.2): the response with its fields is stored in place of the former. Nil if no
    /// later request may be answered with it: it is removed.
    func freshen(
        _ stored: StoredResponse, by head: ResponseHead, answering query: CacheQuery, requestTime: Int64,
        responseTime: Int64
    ) -> StoredResponse? {
        let response = stored.freshened(
            by: head, answering: query, requestTime: requestTime, responseTime: responseTime)
        guard let response, !CacheControl(of: head).isNoStore else {
            remove(stored)
            return response
        }
        update(response)
        return response
    }

    private func update(_ response: StoredResponse) {
        state.withLock { $0.memory.update(response) }
        write { try $0.update(response) }
    }

    func remove(_ response: StoredResponse) {
        state.withLock { $0.memory.remove(response.url) { $0.contentName == response.contentName } }
        write { $0.remove(response) }
    }

    func remove(url: String) {
        flights.removed(url)
        state.withLock { $0.memory.remove(url) { _ in true } }
        write { $0.removeAll(for: url) }
    }

    /// The response was the answer. What that means for the folder is done on the queue, and not for each.
    func used(_ response: StoredResponse) {
        guard folder != nil else { return }
        let now = clock()
        if isCheckDue(now) { queue.async { self.forgetRemoved() } }
        guard state.withLock({ $0.uses.note(response.contentName, of: response.url, now: now) }) else { return }
        queue.async(after: Self.useDelay) { self.writeUses() }
    }

    /// On the queue.
    private func writeUses() {
        guard let folder else { return }
        for url in Set(state.withLock { $0.uses.take() }) { folder.touch(url) }
    }

    /// Whether the folder must be asked whether others have removed something: once a second.
    private func isCheckDue(_ now: Int64) -> Bool {
        state.withLock { state in
            defer { state.lastCheck = now }
            return folder != nil && state.lastCheck != now
        }
    }

    /// On the queue: what others have removed from the folder may be in memory.
    private func forgetRemoved() {
        if folder?.haveOthersRemoved == true { state.withLock { $0.memory.removeAllInFolder() } }
    }

    private func write(_ body: @escaping @Sendable (CacheFolder) throws -> Void) {
        guard let folder else { return }
        queue.async {
            do { try body(folder) } catch { self.failed(error) }
        }
    }
}

/// Counts the bytes in memory of content that is collected, until it is released. Any thread may use it.
final class CollectedBytes: Sendable {
    private let cache: URLCache
    private let count = Atomic<Int>(0)

    init(in cache: URLCache) { self.cache = cache }

    deinit { discard() }

    /// Returns false if the cache has no room for this many more bytes.
    func collect(_ count: Int) -> Bool {
        guard cache.collect(count) else { return false }
        self.count.wrappingAdd(count, ordering: .relaxed)
        return true
    }

    func discard() {
        let count = count.exchange(0, ordering: .relaxed)
        if count > 0 { cache.discard(count) }
    }
}

/// Content that has been collected to be stored.
enum CollectedContent: Sendable {
    case bytes([UInt8])
    case file(CacheSpill)
}

extension StoredContent: CachedContent {
    func readAll() throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let file): try file.readAll()
        }
    }
}

extension CollectedContent: CachedContent {
    func readAll() throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let spill): try spill.readAll()
        }
    }
}
