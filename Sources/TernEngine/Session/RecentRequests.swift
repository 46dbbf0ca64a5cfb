// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernLock

/// The requests that were made of texts last, so that a text that is used again is not parsed again.
///
/// A program asks for few URLs often or for many once: a slot per text, by its length and end, serves the first kind and
/// costs the second a comparison.
package struct RecentRequests: ~Copyable, Sendable {
    private typealias Slot = (text: String, request: URLRequest)?

    private static let capacity = 8
    /// Longer texts are parsed each time: what is kept stays small.
    private static let maximumLength = 512
    private let slots = Lock<[Slot]>([Slot](repeating: nil, count: capacity))

    package init() {}

    /// The request that `make` made of `text` before, or makes of it now.
    package func request<E: Error>(of text: String, _ make: () throws(E) -> URLRequest) throws(E) -> URLRequest {
        let bytes = text.utf8
        guard let last = bytes.last, bytes.count <= Self.maximumLength else { return try make() }
        let slot = (bytes.count &+ Int(last)) % Self.capacity
        // While another thread has the lock, parsing is cheaper than waiting.
        let known = slots.withLockIfAvailable { (slots) -> URLRequest? in
            guard let found = slots[slot], found.text == text else { return nil }
            return found.request
        }
        if case let request?? = known { return request }
        let request = try make()
        _ = slots.withLockIfAvailable { $0[slot] = (text, request) }
        return request
    }
}

extension Session {
    /// A GET request for `url`, which is parsed at most once while it is one of the last that were asked for.
    package func getRequest(for url: URL) -> URLRequest {
        // What a response says of its URL is as the caller wrote it.
        guard url.baseURL == nil else { return URLRequest(url: url, named: "GET") }
        return recentRequests.request(of: url.absoluteString) { URLRequest(url: url, named: "GET") }
    }
}
