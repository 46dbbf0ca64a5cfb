// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// Collects the content of a response that is stored when it is complete: in memory, and in a file once it is long. On
/// the reactor's thread, which never waits for it.
final class CacheFill: ContentTee {
    private enum Content {
        case bytes([UInt8])
        case file(CacheSpill)
        /// It is too long, or cannot be written.
        case none
    }

    private let cache: URLCache
    /// With the length that was announced; 0 if none was.
    private let response: StoredResponse
    private let query: CacheQuery
    /// The request was sent at this moment: what is removed later must not be stored.
    private let moment: UInt64
    private let url: URL?
    private let collected: CollectedBytes
    private var content = Content.bytes([])
    private var length: Int64 = 0
    /// Others wait for the response.
    private var flight: CacheFlight?

    init(
        _ cache: URLCache, _ response: StoredResponse, _ query: CacheQuery, since moment: UInt64, url: URL?,
        _ flight: CacheFlight?
    ) {
        self.moment = moment
        (self.cache, self.response, self.query, self.url, self.flight) = (cache, response, query, url, flight)
        collected = CollectedBytes(in: cache)
    }

    func received(_ bytes: Span<UInt8>) {
        if bytes.isEmpty { return }
        length += Int64(bytes.count)
        switch content {
        case .bytes(var known):
            content = .none
            guard cache.admits(length: length) else { return giveUp() }
            let expected = max(length, response.contentLength)
            guard cache.admitsInMemory(length: expected), collected.collect(bytes.count) else {
                return spill(known, bytes)
            }
            if known.isEmpty { known.reserveCapacity(Int(clamping: expected)) }
            unsafe bytes.withUnsafeBufferPointer { unsafe known.append(contentsOf: $0) }
            content = .bytes(known)
        case .file(let spill): if !cache.admits(length: length) || !spill.append(bytes) { giveUp() }
        case .none: break
        }
    }

    private func spill(_ known: [UInt8], _ bytes: Span<UInt8>) {
        guard let folder = cache.folder, length <= folder.maximumContentLength else { return giveUp() }
        let spill = CacheSpill(known, collected, in: cache, folder)
        content = .file(spill)
        if !spill.append(bytes) { giveUp() }
    }

    private func giveUp() {
        discard()
        flight.take()?.end(.unstorable)
    }

    private func discard() {
        switch content {
        case .file(let spill): spill.abandon()
        case .bytes, .none: collected.discard()
        }
        content = .none
    }

    /// Others do not wait for a reader that does not read.
    func paused() { flight.take()?.end(.abandoned) }

    func ended(isComplete: Bool) -> CacheQuestion? {
        let received: CollectedContent
        switch content {
        case .bytes(let bytes): received = .bytes(bytes)
        case .file(let spill):
            spill.end()
            received = .file(spill)
        case .none: return nil
        }
        guard isComplete, let response = response.containing(length) else {
            flight = nil
            discard()
            return nil
        }
        content = .none
        let (cache, query, moment, flight) = (cache, query, moment, flight.take())
        let collected = collected
        return CacheQuestion(
            proposal: CachedURLResponse(HTTPURLResponse(url: url, head: response.head), received)
        ) { answer in
            cache.store(answer, in: response, answering: query, since: moment)
            if case .bytes = received { collected.discard() }
            flight?.end(answer == nil ? .unstorable : .stored)
        }
    }
}
