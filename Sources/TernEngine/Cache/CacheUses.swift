// SPDX-License-Identifier: Apache-2.0

/// The uses of responses that are to be noted in a cache's folder, for the order of eviction: those of a response at most
/// once a minute, and many together.
struct CacheUses {
    /// In seconds.
    private static let interval: Int64 = 60
    /// The maximum number of responses. A use that is forgotten is noted again, or too late.
    private static let maximumCount = 4096

    /// When the last use was noted, by the name of the content, in seconds: URLs may be long.
    private var noted: [String: Int64] = [:]
    private var due: [String] = []

    /// Returns whether there are uses to be written now, and were none before.
    mutating func note(_ contentName: String, of url: String, now: Int64) -> Bool {
        if let last = noted[contentName], last <= now, now - last < Self.interval { return false }
        if noted.count >= Self.maximumCount {
            noted = noted.filter { $0.value <= now && now - $0.value < Self.interval }
        }
        if noted.count >= Self.maximumCount { noted = [:] }
        noted[contentName] = now
        guard due.count < Self.maximumCount else { return false }
        due.append(url)
        return due.count == 1
    }

    /// What is to be written.
    mutating func take() -> [String] {
        defer { due = [] }
        return due
    }
}
