// SPDX-License-Identifier: Apache-2.0

/// How a cache handled a hop: the parameters of a `Cache-Status` field (RFC 9211 §2).
public struct CacheStatus: Sendable, Hashable {
    /// Why a request was sent to its server (RFC 9211 §2.2).
    public enum Forward: String, Sendable, Hashable {
        /// The cache was told not to handle the request, or another part of the client forbids it.
        case bypass
        /// The method requires it.
        case method
        /// Nothing was stored for the URL.
        case uriMiss = "uri-miss"
        /// What was stored for the URL answers requests with other fields, by other credentials, or under another trust
        /// policy.
        case varyMiss = "vary-miss"
        /// The stored response was fresh, and the request demanded validation.
        case request
        /// The stored response was stale.
        case stale
    }

    /// Whether a stored response is the answer, and nothing was sent for it. False after a validation.
    public internal(set) var isHit = false
    /// Why the request was sent; nil for a hit.
    public internal(set) var forward: Forward?
    /// The status code of the server's response, where it is not the status code of the answer: 304 after a validation.
    public internal(set) var forwardStatusCode: Int?
    /// For how many seconds the stored response stays fresh; negative for how long it has been stale.
    public internal(set) var timeToLive: Int64?
    /// Whether the response is to be stored once it is complete. A delegate, or a disk that is full, may prevent it.
    public internal(set) var isStored = false
    /// Whether the request waited for another one of the same kind.
    public internal(set) var isCollapsed = false

    /// Whether a stored response is the answer, with or without asking its server.
    var isStoredAnswer = false

    init() {}

    init(forward: Forward) { self.forward = forward }

    init(timeToLive: Int64) { (isHit, isStoredAnswer, self.timeToLive) = (true, true, timeToLive) }
}

extension CacheStatus: CustomStringConvertible {
    /// The member of a `Cache-Status` field: `Tern; hit; ttl=376`.
    public var description: String {
        var parts = ["Tern"]
        if isHit { parts.append("hit") }
        if let forward { parts.append("fwd=\(forward.rawValue)") }
        if let forwardStatusCode { parts.append("fwd-status=\(forwardStatusCode)") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        return parts.joined(separator: "; ")
    }
}
