// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernLock

/// How often the nonces of servers, or of proxies, were used, whatever request they were named to (RFC 7616 §3.4, `nc`): a
/// server that names one again may refuse a count that it has seen. Any thread.
final class NonceCounts: Sendable {
    /// The uses of one nonce.
    final class Count: Sendable {
        private let uses = Atomic<UInt32>(0)

        /// The number of the next use.
        func next() -> UInt32 { uses.wrappingAdd(1, ordering: .relaxed).newValue }
    }

    private struct Nonce: Hashable {
        let origin: HTTPOrigin
        let bytes: [UInt8]
    }

    /// The maximum number of nonces that are remembered: a server names as many as it likes.
    private static let maximumCount = 256

    private let counts = Lock<[Nonce: Count]>([:])

    /// The count of a nonce, or of what has none.
    func count(of bytes: [UInt8]?, from origin: HTTPOrigin) -> Count {
        guard let bytes else { return Count() }
        let nonce = Nonce(origin: origin, bytes: bytes)
        return counts.withLock { counts in
            if let known = counts[nonce] { return known }
            if counts.count >= Self.maximumCount { counts = [:] }
            let new = Count()
            counts[nonce] = new
            return new
        }
    }
}
